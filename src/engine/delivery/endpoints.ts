import { deliveryStats } from '#db/delivery/deliveries.ts';
import { failPending } from '#db/delivery/queue.ts';
import { removeHistory, SWEEP_STEP } from '#db/delivery/sweep.ts';
import {
  countEndpoints,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
  type EndpointRow,
} from '#db/delivery/endpoints.ts';
import type { RowPatch } from '#db/schema/database.ts';
import { sealContext } from '#db/schema/sealed.ts';
import type { Db } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, isoTime } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId, randomHex } from '#kernel/ids.ts';
import { byCreation, type WholeQuery } from '#kernel/pagination.ts';
import { sealCredentials, sharesCredentials, type Address } from './address.ts';
import type { DeliveryDeps } from './ports.ts';
import { ENDPOINT_INACTIVE, endpointEntry, webhookOf, type Webhook } from './present-delivery.ts';
import { readActive, readEvents, readUrl, refuseMask } from './validate.ts';

const SECRET_BYTES = 32;
const SLOTS = 16;

/** Finds an endpoint that the caller may see, or throws. */
export async function endpointIn(db: Db, authority: Authority, id: string): Promise<EndpointRow> {
  const endpoint = await findEndpoint(db, authority, id);
  return endpoint ?? noSuch('webhook', id);
}

function makeCreate(deps: DeliveryDeps) {
  const { outbound, clock, sealer, store } = deps;

  return {
    async create(authority: Authority, input: Readonly<{ url?: unknown; events?: unknown }>) {
      const { url, credentials } = readUrl(input.url, outbound.refusesHost);
      if (typeof credentials === 'string') refuseMask();
      const events = readEvents(input.events);
      const now = clock.now();
      const id = newId('whk', now);
      const secret = randomHex(SECRET_BYTES);
      const row = {
        id,
        workspace_id: authority.workspace,
        url,
        credentials: credentials ? sealCredentials(sealer, id, credentials) : null,
        secret: sealer.seal(secret, sealContext('endpoints', id)),
        secret_hint: `whsec_...${secret.slice(-4)}`,
        is_active: 1,
        slots: SLOTS,
        failing: 0,
        removed_at: null,
        created_at: now,
        updated_at: now,
      } as const;
      const made = {
        id,
        url,
        events,
        secret,
        message: 'Keep the secret in a safe place: it is not shown again.',
        is_active: true,
        created_at: isoTime(now),
        updated_at: isoTime(now),
      };
      await store.write(async (tx) => {
        await insertEndpoint(tx.db, row, events);
        await tx.log(endpointEntry(row, 'created', { events }));
        await tx.key?.record(made);
      });
      return made;
    },
  };
}

export function makeEndpoints(deps: DeliveryDeps) {
  const { store, lists, outbound, clock, sealer } = deps;

  /** Proceeds in steps: there may be many deliveries, and other writers have to wait for each step. */
  async function failAllPending(id: string): Promise<void> {
    const step = () => store.write((tx) => failPending(tx.db, id, ENDPOINT_INACTIVE, clock.now(), SWEEP_STEP));
    while ((await step()) === SWEEP_STEP);
  }

  /** Masked credentials stand for the stored ones, which must not be sent to another server. */
  function addressPatch(before: EndpointRow, { url, credentials }: Address): RowPatch<'endpoints'> {
    const keeps = credentials === 'masked';
    if (credentials === 'unclear') refuseMask();
    if (keeps && (before.credentials === null || !sharesCredentials(before.url, url))) refuseMask();
    return {
      url,
      ...(!keeps && { credentials: credentials ? sealCredentials(sealer, before.id, credentials) : null }),
      // The pace of the old receiver does not apply to the new one.
      ...(url !== before.url && { slots: SLOTS, failing: 0 as const }),
    };
  }

  return Object.freeze({
    ...makeCreate(deps),

    /** Returns everything on one page, unless a limit is given. */
    async list(authority: Authority, { limit, cursor }: WholeQuery = {}) {
      const count = await countEndpoints(store.db, authority);
      const page = await lists.page(
        { limit: limit ?? Math.max(1, count), cursor },
        {
          name: 'webhooks',
          given: {},
          read: (_, span) => listEndpoints(store.db, authority, span),
          position: byCreation,
          show: (rows) => rows.map(webhookOf),
        },
      );
      return { count, ...page };
    },

    async get(authority: Authority, id: string) {
      const endpoint = await endpointIn(store.db, authority, id);
      const now = clock.now();
      const [last_24h, last_7d] = await Promise.all(
        [1, 7].map((days) => deliveryStats(store.db, authority, id, now - days * DAY)),
      );
      return {
        ...webhookOf(endpoint),
        secret_hint: endpoint.secret_hint,
        stats: { last_24h: last_24h!, last_7d: last_7d! },
      };
    },

    /** Deactivating an endpoint fails its pending deliveries; events that it misses are not sent later. */
    async update(
      authority: Authority,
      id: string,
      { url, events: names, is_active }: Readonly<{ url?: unknown; events?: unknown; is_active?: unknown }>,
    ): Promise<Webhook> {
      if (url === undefined && names === undefined && is_active === undefined) {
        fail('validation.body_invalid', { message: 'Send at least one of url, events and is_active.' });
      }
      const address = url === undefined ? undefined : readUrl(url, outbound.refusesHost);
      const events = names === undefined ? undefined : readEvents(names);
      const active = is_active === undefined ? undefined : readActive(is_active);
      const before = await endpointIn(store.db, authority, id);
      // Deliveries that an earlier deactivation left behind must not be sent now.
      if (active && before.is_active === 0) await failAllPending(id);
      const patch: RowPatch<'endpoints'> = {
        updated_at: clock.now(),
        ...(address && addressPatch(before, address)),
        ...(active !== undefined && { is_active: active ? (1 as const) : (0 as const) }),
      };
      await store.write(async (tx) => {
        const found = await updateEndpoint(tx.db, authority, id, patch, events);
        if (!found) noSuch('webhook', id);
        const changed = { ...(events && { events }), ...(active !== undefined && { is_active: active }) };
        await tx.log(endpointEntry({ ...before, ...patch }, 'updated', changed));
      });
      if (active === false) await failAllPending(id);
      return webhookOf(await endpointIn(store.db, authority, id));
    },

    /** Marks the endpoint as deleted and deletes the first of its deliveries; the sweep deletes the rest. */
    async remove(authority: Authority, id: string) {
      const now = clock.now();
      await store.write(async (tx) => {
        const endpoint = await endpointIn(tx.db, authority, id);
        const found = await updateEndpoint(tx.db, authority, id, { is_active: 0, removed_at: now, updated_at: now });
        if (!found) noSuch('webhook', id);
        await tx.log(endpointEntry(endpoint, 'deleted'));
        await removeHistory(tx.db, id, SWEEP_STEP);
      });
      return { ok: true as const, success: true as const, id };
    },
  });
}
