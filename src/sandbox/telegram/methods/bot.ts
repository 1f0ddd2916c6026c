/** What a bot asks about itself, its updates, its chats and its files. */
import { answer, route } from '../../kit/api/routes.ts';
import { badRequest, notFound } from '../errors.ts';
import { blobOf, botOf } from '../render.ts';
import { checkWebhook } from '../updates.ts';
import { method, wholeIn, type BotCaller, type Parts, type Targets } from './calls.ts';

const MOST_DOWNLOAD = 20_000_000;
const MOST_UPDATES = 100;
const CONNECTIONS = 40;

const FOLDERS: Readonly<Record<string, string>> = Object.freeze({ image: 'photos', video: 'videos', audio: 'music' });

export function botMethods({ world, updates }: Parts) {
  const { docs, files } = world;
  const self = (id: string) => docs.get('bot', id)!;
  const pathOf = (blob: string, mime: string) =>
    `${FOLDERS[mime.split('/')[0]!] ?? 'documents'}/file_${blob}.${mime.split('/')[1] ?? 'bin'}`;

  return [
    ...method(
      'getMe',
      ({ caller }) => ({
        ...botOf(self(caller.person)),
        can_join_groups: true,
        can_read_all_group_messages: false,
        supports_inline_queries: false,
        can_connect_to_business: false,
        has_main_web_app: false,
      }),
      false,
    ),
    ...method('setWebhook', ({ caller: { person: id }, params }) => {
      const url = params.text('url') ?? '';
      const secret_token = params.text('secret_token');
      if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(secret_token))
        throw badRequest('secret token contains unallowed characters');
      if (url !== '') checkWebhook(world.options, url);
      const allowed = params.list('allowed_updates')?.map(String);
      if (allowed !== undefined) docs.change('bot', id, { allowed_updates: allowed });
      const max_connections = params.whole('max_connections') ?? CONNECTIONS;
      const webhook = { url, max_connections, ...(secret_token !== undefined && { secret_token }) };
      updates.setWebhook(id, url === '' ? undefined : webhook, params.flag('drop_pending_updates') === true);
      return true;
    }),
    ...method('deleteWebhook', ({ caller, params }) => {
      updates.setWebhook(caller.person, undefined, params.flag('drop_pending_updates') === true);
      return true;
    }),
    ...method(
      'getWebhookInfo',
      ({ caller: { person: id } }) => {
        const { webhook, allowed_updates, last_error: error } = self(id);
        return {
          url: webhook?.url ?? '',
          has_custom_certificate: false,
          pending_update_count: updates.pending(id).length,
          ...(error && { last_error_date: error.date, last_error_message: error.message }),
          ...(webhook && { max_connections: webhook.max_connections, ip_address: '127.0.0.1' }),
          ...(allowed_updates && { allowed_updates }),
        };
      },
      false,
    ),
    ...method(
      'getUpdates',
      ({ caller: { person: id }, params }) => {
        const allowed = params.list('allowed_updates')?.map(String);
        if (allowed !== undefined) docs.change('bot', id, { allowed_updates: allowed });
        const limit = Math.min(Math.max(params.whole('limit') ?? MOST_UPDATES, 1), MOST_UPDATES);
        return updates.read(id, {
          offset: wholeIn(params, 'offset') ?? 0,
          limit,
          timeout: params.whole('timeout') ?? 0,
        });
      },
      false,
    ),
    ...method(
      'getFile',
      ({ caller, params }) => {
        const file_id = params.required('file_id');
        const blob = docs.get('blob', blobOf(caller.person, file_id) ?? '');
        if (blob === undefined) throw badRequest('wrong file_id or the file is temporarily unavailable');
        if (blob.size > MOST_DOWNLOAD) throw badRequest('file is too big');
        const { id, size: file_size, mime } = blob;
        return { file_id, file_unique_id: `u${id}`, file_size, file_path: pathOf(id, mime) };
      },
      false,
    ),
    route<BotCaller>('GET', '/file/bot{token}/{folder}/{name}', {}, ({ path: { folder, name = '' } }) => {
      const blob = docs.get('blob', /^file_(\w+)\./.exec(name)?.[1] ?? '');
      if (blob === undefined || pathOf(blob.id, blob.mime) !== `${folder}/${name}`) throw notFound();
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(blob.size) };
      return answer(Buffer.concat([...files.pieces(blob.id)]), 200, headers);
    }),
  ];
}

export function chatMethods({ world: { docs, people }, chats, render }: Parts, targets: Targets) {
  const { userOf, chatOf } = render;

  function memberOf(chat: Parameters<typeof chats.member>[0], id: string) {
    if (!people.byId(id) && !docs.get('bot', id)) throw badRequest('user not found');
    const { status } = chats.member(chat, id);
    const user = userOf(id);
    if (status === 'kicked') return { status, user, until_date: 0 };
    if (status === 'creator') return { status, user, is_anonymous: false };
    if (status !== 'administrator') return { status, user };
    const channel = { can_post_messages: true, can_edit_messages: true };
    return {
      status,
      user,
      can_be_edited: false,
      is_anonymous: false,
      can_manage_chat: true,
      can_delete_messages: true,
      can_manage_video_chats: false,
      can_restrict_members: false,
      can_promote_members: false,
      can_change_info: false,
      can_invite_users: true,
      can_post_stories: false,
      can_edit_stories: false,
      can_delete_stories: false,
      ...(chat.type === 'channel' ? channel : { can_pin_messages: true, can_manage_topics: false }),
    };
  }

  return [
    ...method(
      'getChat',
      (call) => {
        const chat = targets.look(call);
        return {
          ...chatOf(chat),
          accent_color_id: 0,
          max_reaction_count: 11,
          accepted_gift_types: {},
          ...(chat.linked !== undefined && { linked_chat_id: Number(chat.linked) }),
        };
      },
      false,
    ),
    ...method('getChatMember', (call) => memberOf(targets.look(call), call.params.required('user_id')), false),
    ...method(
      'getChatAdministrators',
      (call) => {
        const chat = targets.look(call);
        if (chat.type === 'private') throw badRequest('there are no administrators in the private chat');
        const admins = Object.keys(chat.members).filter((id) => chats.isAdmin(chat, id));
        return admins.map((id) => memberOf(chat, id));
      },
      false,
    ),
    ...method(
      'getChatMemberCount',
      (call) => {
        const members = Object.values(targets.look(call).members);
        return members.filter(({ status }) => status !== 'left' && status !== 'kicked').length;
      },
      false,
    ),
  ];
}
