import type { Message, Tie } from '../docs.ts';
import { ZaloError } from '../errors.ts';
import { avatarOf } from '../world.ts';
import { dataOf, makeCalls, listPage, userOf, vietnamTime, type Parts, type ZaloRoute } from './calls.ts';

const MOST_CHATS = 10;

/** The fields of a message that follow from its content. */
function carried({ type, attachments }: Message): object {
  const payloads = attachments.map(({ payload }) => payload as Readonly<Record<string, unknown>>);
  const [first] = payloads;
  if (first === undefined) return {};
  if (type === 'link' || type === 'links')
    return {
      links: payloads.map(({ url = '', title, thumbnail: thumb, description }) => ({ title, url, thumb, description })),
    };
  if (type === 'location') return { location: JSON.stringify(first['coordinates']) };
  const { url, thumbnail: thumb, description } = first;
  return { url, ...(thumb !== undefined && { thumb }), ...(description !== undefined && { description }) };
}

export function readingRoutes(parts: Parts): readonly ZaloRoute[] {
  const { world, ties, talk } = parts;
  const { people } = world;
  const call = makeCalls(world);

  function viewOf(account: string, message: Message): object {
    const tie = ties.get(message.parent_id)!;
    const own = { id: account, name: people.byId(account)!.name, avatar: avatarOf(world, account) };
    const other = { id: tie.id, name: ties.nameOf(tie), avatar: avatarOf(world, tie.id) };
    const [from, to] = message.src === 0 ? [own, other] : [other, own];
    const { time, day } = vietnamTime(message.at);
    return {
      src: message.src,
      time: message.at,
      sent_time: `${time} ${day}`,
      type: message.type,
      message: message.text,
      message_id: message.id,
      from_id: from.id,
      to_id: to.id,
      from_display_name: from.name,
      from_avatar: from.avatar,
      to_display_name: to.name,
      to_avatar: to.avatar,
      ...carried(message),
    };
  }
  const newestFirst = (messages: readonly Message[]) => messages.toReversed();
  const users = (account: string) => ties.of(account).filter(({ conversation }) => conversation === undefined);
  /** Whether an account may know a person. */
  const isKnown = ({ follows, acted_at }: Tie) => follows === true || acted_at !== undefined;

  return [
    call('GET', '/v2.0/oa/getoa', ({ caller: { person: id } }) => ({
      oaid: id,
      oa_alias: people.byId(id)!.handle.split('.')[0],
      name: people.byId(id)!.name,
      description: `The official account of ${people.byId(id)!.name}`,
      is_verified: true,
      oa_type: 2,
      cate_name: 'Food and drink',
      num_follower: users(id).filter(({ follows }) => follows === true).length,
      avatar: avatarOf(world, id),
      cover: avatarOf(world, id),
      package_name: 'Advanced',
      package_valid_through_date: '31/12/2030',
    })),
    call('GET', '/v2.0/oa/listrecentchat', ({ params, caller: { person } }) => {
      const { offset, count } = listPage(dataOf(params), MOST_CHATS);
      const latest = users(person)
        .flatMap((tie) => talk.messages(tie).at(-1) ?? [])
        .toSorted((a, b) => b.at - a.at);
      return latest.slice(offset, offset + count).map((message) => viewOf(person, message));
    }),
    call('GET', '/v2.0/oa/conversation', ({ params, caller: { person } }) => {
      const data = dataOf(params);
      const { offset, count } = listPage(data, MOST_CHATS);
      const messages = newestFirst(talk.messages(userOf(parts, person, data)));
      return messages.slice(offset, offset + count).map((message) => viewOf(person, message));
    }),
    call('GET', '/v3.0/oa/user/detail', ({ params, caller: { person: account } }) => {
      const tie = userOf(parts, account, dataOf(params));
      if (!isKnown(tie)) throw new ZaloError(-213, 'User has not followed the OA');
      const avatar = avatarOf(world, tie.id);
      return {
        user_id: tie.id,
        user_id_by_app: ties.appIdOf(tie.person),
        user_external_id: '',
        display_name: ties.nameOf(tie),
        user_alias: ties.nameOf(tie),
        is_sensitive: false,
        user_is_follower: tie.follows === true,
        user_last_interaction_date: tie.acted_at === undefined ? '' : vietnamTime(tie.acted_at).day,
        avatar,
        avatars: { 120: avatar, 240: avatar },
        tags_and_notes_info: { notes: [], tag_names: [] },
        shared_info: tie.shared ?? {},
      };
    }),
  ];
}
