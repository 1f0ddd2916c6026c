import { PLATFORM_REASONS } from '#kernel/errors.ts';
import type { NumberProfile, NumberStatus, Template, TemplateRequest } from '#platforms/business.ts';
import { type FailureCode, type FailureKind, PlatformError } from '#platforms/errors.ts';
import { fakePlatform } from './fake.ts';
import { accountOf, type Verdict } from './network.ts';
import type { Social } from './social.ts';

/** A refusal with a code of its own. */
export function refusedWith(code: FailureCode, kind: FailureKind = 'refused', retryAfter?: number): Verdict {
  const reason = kind === 'throttled' ? 'rate_limit' : kind === 'unknown' ? 'api_error' : 'blocked';
  return { error: new PlatformError(kind, reason, PLATFORM_REASONS[reason][1], { code, retryAfter }) };
}

/** What stands behind the numbers of the fake platform, and its templates. */
export type Business = ReturnType<typeof makeBusiness>;

const missing = () => refusedWith('whatsapp.template_not_found').error!;

/** A fake platform whose accounts are phone numbers, connected by their ids. */
export function makeBusiness(net: Social) {
  let made = 0;
  const status = { verified: false, registered: false };
  const profile: Record<string, unknown> = { about: 'Bread' };
  /** All numbers share those that have no owner. */
  const templates = new Map<string, Template & { owner?: string }>();
  /** What numbers were proven and registered with. */
  const codes: unknown[] = [];
  const sent: { to: string; name: string }[] = [];
  const owned = (account: string) =>
    [...templates.values()]
      .filter(({ owner = account }) => owner === account)
      .map(({ owner: _owner, ...rest }) => rest);
  const one = (account: string, id: string) => {
    const found = owned(account).find((template) => template.id === id);
    if (found === undefined) throw missing();
    return found;
  };
  const platform = fakePlatform('whatsapp', {
    codes: ['whatsapp.template_not_found', 'whatsapp.no_account', 'whatsapp.unknown'],
    connect: {
      kind: 'direct',
      form: [],
      required: ['token'],
      login: async (_call, { token = '' }) => ({
        profile: { platform_user_id: token, username: token, name: `Number ${token}` },
        session: { account: token },
      }),
    },
    numbers: {
      requestCode: (call, ask) => net.act(call, 'numbers.request_code', () => void codes.push(ask)),
      verifyCode: (call, code) =>
        net.act(call, 'numbers.verify_code', () => {
          codes.push(code);
          status.verified = true;
        }),
      register: (call, pin) =>
        net.act(call, 'numbers.register', () => {
          codes.push(pin);
          status.registered = true;
        }),
      deregister: (call) => net.act(call, 'numbers.deregister', () => void (status.registered = false)),
      status: (call) => net.act(call, 'numbers.status', (): NumberStatus => ({ ...status })),
      profile: (call) => net.act(call, 'numbers.profile', (): NumberProfile => ({ ...profile })),
      setProfile: (call, change) => net.act(call, 'numbers.set_profile', () => void Object.assign(profile, change)),
    },
    templates: {
      check: ({ name, components }) => ({
        errors: [
          ...(/^[a-z0-9_]+$/.test(name) ? [] : [{ field: 'name', message: 'must be lower case' }]),
          ...(components.length > 0 ? [] : [{ field: 'components', message: 'is empty' }]),
        ],
        warnings: [],
      }),
      list: (call, { limit, cursor = '0' }) =>
        net.act(call, 'templates.list', () => {
          const all = owned(accountOf(call));
          const end = Number(cursor) + limit;
          return { items: all.slice(Number(cursor), end), ...(end < all.length && { cursor: String(end) }) };
        }),
      create: {
        send: (call, draft) =>
          net.act(call, 'templates.create', () => {
            const id = `70${(made += 1)}`;
            templates.set(id, { ...draft, id, status: 'PENDING', owner: accountOf(call) });
            return { id, status: 'PENDING', category: draft.category };
          }),
        async settle(call, { name, language }) {
          await net.act(call, 'templates.create.settle', () => {});
          const found = [...templates.values()].find((known) => known.name === name && known.language === language);
          return found === undefined ? 'absent' : { id: found.id, status: found.status, category: found.category };
        },
      },
      read: (call, id) => net.act(call, 'templates.read', () => one(accountOf(call), id)),
      update: (call, id, components) =>
        net.act(call, 'templates.update', () => {
          one(accountOf(call), id);
          templates.set(id, { ...templates.get(id)!, components });
        }),
      remove: (call, name) =>
        net.act(call, 'templates.delete', () => {
          const gone = owned(accountOf(call)).filter((template) => template.name === name);
          if (gone.length === 0) throw missing();
          for (const { id } of gone) templates.delete(id);
        }),
      send: net.sending('templates.send', (message_id, { to, template_name }: TemplateRequest) => {
        sent.push({ to, name: template_name });
        const conversation = { platform_id: to, participant: { id: to, name: 'Fan' } };
        return { message_id, conversation, recipient: to, message_status: 'accepted' };
      }),
    },
  });
  return { platform, status, profile, codes, templates, sent };
}

/** A template of the fake platform. */
export const aTemplate = (id: string, more: Partial<Template & { owner: string }> = {}): Template => ({
  id,
  name: `order_${id}`,
  category: 'UTILITY',
  language: 'en_US',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello {{1}}, order {{2}} is on its way.' }],
  ...more,
});
