import type { AccountRow } from '#db/access/accounts.ts';
import { forgetTemplates, rememberTemplates, type RememberedTemplate } from '#db/inbox/templates.ts';
import { refuseDead, type PlatformCodes } from '#call/accounts.ts';
import { partOf, type SendBegun, type SendContext, type Sends } from '#call/sends.ts';
import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { atCursor, type Lists, type PageQuery } from '#kernel/pagination.ts';
import type {
  CreatedTemplate,
  Template,
  TemplateComponent,
  TemplateDraft,
  Templates as TemplateCalls,
  UncheckedTemplate,
} from '#platforms/business.ts';
import { capabilityOf, notSupported } from '#platforms/lookup.ts';
import { sanitize } from '#platforms/sanitize.ts';
import { makeHolders, type HolderDeps } from './holders.ts';

type TemplateDeps = HolderDeps & Readonly<{ sends: Sends; lists: Lists }>;

type TemplatesRef = Readonly<{ on: PlatformCodes; accountId: string }>;

/** A template by id; if no account is named, it is searched for. */
export type TemplateRef = Readonly<{ on: PlatformCodes; id: string; accountId?: string | undefined }>;

/** Message templates, which are read, written and removed on their platform. */
export function makeTemplates(deps: TemplateDeps) {
  const { store, lists, platforms, find, sends } = deps;
  const { callPlatform, holderOf } = makeHolders(deps);

  async function ownerOf(authority: Authority, { on, accountId }: TemplatesRef, what: string) {
    const account = await find(authority, on, accountId);
    const templates = capabilityOf(platforms, account, `templates.${what}`, (platform) => platform.templates);
    return { account, templates };
  }

  const remember = (account: AccountRow, templates: readonly Template[]) =>
    store.write((tx) => rememberTemplates(tx.db, account, templates.map(remembered)));

  async function create(call: SendContext, ref: TemplatesRef, draft: TemplateDraft, begun?: SendBegun) {
    const { account, templates } = await ownerOf(call.authority, ref, 'create');
    refuseInvalid(templates, draft);
    refuseDead(account);
    return sends.send<CreatedTemplate>(
      {
        kind: 'template_draft',
        account,
        workspace: call.workspace,
        metered: false,
        begun,
        request: { place: draft.name, content: draft },
        parts: [partOf(templates.create, draft)],
        keep: (tx, { id }) => rememberTemplates(tx.db, account, [remembered({ ...draft, id })]),
      },
      call.signal,
    );
  }

  return Object.freeze({
    /** Checks a draft against the platform's rules, without calling the platform. */
    check({ platform }: PlatformCodes, draft: UncheckedTemplate) {
      const { check } = platforms.get(platform)?.templates ?? notSupported(platform, 'templates.validate');
      const { errors, warnings } = check(draft);
      return { valid: errors.length === 0, errors, warnings };
    },

    async list(authority: Authority, ref: TemplatesRef, query: PageQuery) {
      const { account, templates } = await ownerOf(authority, ref, 'list');
      return lists.live(query, {
        name: 'templates',
        given: { account_id: account.id },
        async read(_, from) {
          const page = { limit: query.limit, cursor: from?.id };
          const listed = await callPlatform(account, (call) => templates.list(call, page));
          await remember(account, listed.items);
          return { items: listed.items, next: atCursor(listed.cursor), extra: {} };
        },
      });
    },

    /** Submits a draft for approval, unless it would certainly be refused. */
    async create(call: SendContext, ref: TemplatesRef, draft: TemplateDraft, begun?: SendBegun) {
      const { made } = await sends.settle(begun, call.signal, () => create(call, ref, draft, begun));
      return made[0]!;
    },

    async read(authority: Authority, ref: TemplateRef): Promise<Template> {
      const { account, template } = await holderOf(authority, ref);
      await remember(account, [template]);
      return template;
    },

    /** Replaces the components of a template, which then needs a new approval. */
    async update(authority: Authority, ref: TemplateRef, components: readonly TemplateComponent[]) {
      const { account, template, templates } = await holderOf(authority, ref);
      const changed = { ...template, components };
      refuseInvalid(templates, changed);
      await callPlatform(account, (call) => templates.update(call, template.id, components));
      await remember(account, [changed]);
      return { success: true, ok: true, id: template.id };
    },

    async remove(authority: Authority, ref: TemplatesRef, name: string) {
      const { account, templates } = await ownerOf(authority, ref, 'delete');
      await callPlatform(account, (call) => templates.remove(call, name));
      await store.write((tx) => forgetTemplates(tx.db, account.id, { name }));
      return { success: true, ok: true, id: name };
    },
  });
}

/** Refuses a draft with the first reason for which its platform would refuse it. */
function refuseInvalid({ check }: TemplateCalls, draft: UncheckedTemplate): void {
  const { errors } = check(draft);
  const [first] = errors;
  if (first === undefined) return;
  fail('validation.field_invalid', {
    message: `${first.field}: ${first.message}`,
    meta: { field: first.field, errors },
  });
}

function remembered({ id, name, language, components }: Omit<Template, 'category' | 'status'>): RememberedTemplate {
  const body = components.find(({ type }) => type.toUpperCase() === 'BODY')?.text ?? '';
  // Passes no real time, as a template contains no times.
  return sanitize({ id, name, language, body }, 0);
}

export type Templates = ReturnType<typeof makeTemplates>;
