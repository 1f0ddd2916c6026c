import * as z from 'zod';
import { hmacMatches, hmacOf, type SignatureScheme } from '#kernel/sign.ts';
import type { AccountCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push } from '../push.ts';
import { unlessRefused } from '../shared/errors.ts';
import { readable } from '../shared/fields.ts';
import { pushedJson, type Path } from '../shared/rest.ts';
import { callApi, sessionOf } from './api.ts';
import { readComment } from './comments.ts';
import { eventsIn, introduce, Notice } from './notices.ts';

const TYPE = 'ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS';
const HEX: SignatureScheme = Object.freeze({ algorithm: 'sha256', encoding: 'hex' });

const Pushed = z.object({ type: z.literal(TYPE), notifications: z.array(z.unknown()) });

/** Reads what a push omits, such as the author of a mention and the parent of a comment. */
async function complete(call: AccountCall, event: InboundEvent): Promise<InboundEvent> {
  if (event.kind === 'mention') return { ...event, mention: await introduce(call, event.mention) };
  if (event.kind !== 'comment') return event;
  const { platform_id, platform_post_id: post, page_id: page } = event.comment;
  return { ...event, comment: await readComment(call, { comment: platform_id, post, page }) };
}

const Subscription = z.object({ expiresAt: z.number().optional().catch(undefined) });
const Kept = z.array(z.string());

function subscriptionPath(call: AccountCall, app: string, organization: string): Path {
  const { member } = sessionOf(call.session);
  const key = `developerApplication:{app},user:{member},entity:{organization},eventType:${TYPE}`;
  const ids = { app: `urn:li:developerApplication:${app}`, member, organization };
  return { path: `/rest/eventSubscriptions/(${key})`, ids };
}

/** Pushed events of organizations' pages, signed with the app's secret. */
export const push: Push = {
  scope: 'app',
  handshake: {
    challenge: ['challengeCode'],
    answer(challengeCode, _query, { app: [secret] }) {
      if (secret === undefined) return undefined;
      const challengeResponse = hmacOf(HEX, secret, challengeCode);
      return { type: 'json', body: JSON.stringify({ challengeCode, challengeResponse }) };
    },
  },
  verify: ({ headers, body }, { app }) =>
    hmacMatches(HEX, (headers['x-li-signature'] ?? '').toLowerCase(), app, 'hmacsha256=', body),
  read({ body }) {
    const { notifications = [] } = Pushed.safeParse(pushedJson(body)).data ?? {};
    return readable(Notice, notifications).flatMap((notice) =>
      eventsIn(notice).map((event) => ({ page: notice.organizationalEntity, event })),
    );
  },
  complete,
  /** Subscribes each organization; a subscription ends with the member's token or role. */
  async subscribe(call, { callback: webhook }) {
    const app = call.settings['LINKEDIN_APP_ID'];
    if (app === undefined) return undefined;
    const { organizations, until = Infinity } = sessionOf(call.session);
    const ends = [until];
    for (const organization of organizations) {
      const request = { method: 'PUT', ...subscriptionPath(call, app, organization), json: { webhook } } as const;
      // A member may publish for an organization without being its administrator.
      const made = await unlessRefused(
        callApi(call, request, Subscription.optional()),
        'permission_denied',
        'not_found',
      );
      ends.push(made?.expiresAt ?? until);
    }
    const end = Math.min(...ends);
    return { kept: organizations, until: end === Infinity ? undefined : end };
  },
  /** Compares the organizations: while they are unchanged, so is the subscription. */
  async isSubscribed(call, kept) {
    const known = Kept.safeParse(kept).data ?? [];
    return sessionOf(call.session).organizations.every((one) => known.includes(one));
  },
  async unsubscribe(call, kept) {
    const app = call.settings['LINKEDIN_APP_ID'];
    if (app === undefined) return;
    for (const organization of Kept.safeParse(kept).data ?? []) {
      await unlessRefused(
        callApi(call, { method: 'DELETE', ...subscriptionPath(call, app, organization) }, z.unknown()),
      );
    }
  },
};
