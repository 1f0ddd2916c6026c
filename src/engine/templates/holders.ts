import { listAccounts, type AccountRow } from '#db/access/accounts.ts';
import { forgetTemplates, templateOwners } from '#db/inbox/templates.ts';
import type { Store } from '#db/store/store.ts';
import type { PlatformCodes } from '#call/accounts.ts';
import type { AccountFinder, Sessions } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import { absence, ApiError, fail, platformReason } from '#kernel/errors.ts';
import type { Template, Templates as TemplateCalls } from '#platforms/business.ts';
import type { AccountCall } from '#platforms/call.ts';
import { canBeId, capabilityOf, platformFor, type Platforms } from '#platforms/lookup.ts';
import { orPlatformRefusal } from '#platforms/refusal.ts';

/** How many accounts to ask for a template if the caller names none. */
const MOST_ASKED = 10;

export type HolderDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  find: AccountFinder;
}>;

type Holder = Readonly<{ account: AccountRow; template: Template; templates: TemplateCalls }>;

type Lookup = Readonly<{ on: PlatformCodes; id: string; accountId?: string | undefined }>;

export function makeHolders({ store, sessions, platforms, find }: HolderDeps) {
  const callPlatform = <T>(account: AccountRow, question: (call: AccountCall) => Promise<T>): Promise<T> =>
    orPlatformRefusal(account.platform, sessions.use(account, question));

  async function requestHolder(account: AccountRow, { on, id }: Lookup): Promise<Holder> {
    const templates = capabilityOf(platforms, account, 'templates.get', (platform) => platform.templates);
    if (!canBeId(platforms, account, 'template', id)) throw absence('template', id, on.noTemplate);
    return { account, templates, template: await callPlatform(account, (call) => templates.read(call, id)) };
  }

  /** The accounts that may have the template; those known to have it come first. */
  async function candidates(authority: Authority, { on, id }: Lookup): Promise<readonly AccountRow[]> {
    const { platform } = on;
    const all = await listAccounts(store.db, authority, { platform });
    const able = all.filter((account) => platformFor(platforms, account)?.templates !== undefined);
    if (able.length === 0) fail(on.noAccount, { message: 'No account here has message templates.' });
    const owners = await templateOwners(store.db, authority, id);
    return able.toSorted((a, b) => Number(owners.includes(b.id)) - Number(owners.includes(a.id)));
  }

  return Object.freeze({
    callPlatform,

    /** The account of a template: the one that the caller named, or the first of a few that has it. */
    async holderOf(authority: Authority, wanted: Lookup): Promise<Holder> {
      const { on, id, accountId } = wanted;
      if (accountId !== undefined) return requestHolder(await find(authority, on, accountId), wanted);
      const all = await candidates(authority, wanted);
      let lastError: ApiError | undefined;
      for (const account of all.slice(0, MOST_ASKED)) {
        try {
          return await requestHolder(account, wanted);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.code === on.noTemplate) {
            await store.write((tx) => forgetTemplates(tx.db, account.id, { id }));
          } else if (isOwn(error)) lastError ??= error;
          else throw error;
        }
      }
      if (lastError !== undefined) throw lastError;
      if (all.length <= MOST_ASKED) throw absence('template', id, on.noTemplate);
      const message = `None of the ${MOST_ASKED} accounts that were asked has this template.`;
      return fail('validation.field_required', { message, next: 'Send account_id.', meta: { field: 'account_id' } });
    },
  });
}

/** Whether a failure concerns only this account, so that the next one can be tried. */
function isOwn({ code }: ApiError): boolean {
  const reason = platformReason(code);
  return code === 'account.reconnection_required' || reason === 'auth' || reason === 'permission_denied';
}
