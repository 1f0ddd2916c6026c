/** What people do: watch, comment, mention and write messages. */
import { flag, long, maybe, maybeOne, oneOf, optional, text, there, type Acts, type Filled } from '../../kit/acts.ts';
import type { Fields } from '../docs.ts';
import type { Parts } from '../parts.ts';
import type { Saying } from '../talk.ts';
import type { ActionFields } from './action-fields.ts';

export function viewerActs({ world, comments, mentions }: Parts, actionFields: ActionFields): Acts {
  const { docs } = world;
  const { act, person, account, post, comment } = actionFields;
  return {
    comment: act(
      'viewers',
      'Comment on a post',
      { person, post, text: long('Text'), buys: optional(flag('Wants to buy')) },
      (form) => comments.say(form.post, form.person.id, form.text, undefined, form.buys),
    ),
    reply: act('viewers', 'Reply to a comment', { person, comment, text: long('Text') }, (form) =>
      comments.say(docs.get('post', form.comment.post)!, form.person.id, form.text, form.comment),
    ),
    like: act('viewers', 'Like a post', { person, post }, ({ person: { id }, post: { id: of, likes } }) =>
      docs.change('post', of, { likes: [...new Set([...likes, id])] }),
    ),
    like_comment: act('viewers', 'Like a comment', { person, comment }, (by) =>
      comments.like(by.comment, by.person.id),
    ),
    view: act('viewers', 'Watch a post', { post, share: optional(flag('And share it')) }, (it) =>
      docs.change('post', it.post.id, { views: it.post.views + 1, shares: it.post.shares + Number(it.share) }),
    ),
    mention: act(
      'viewers',
      'Name an account in a post or a comment',
      { person, account, text: long('Text'), post: maybeOne(post) },
      (form) => mentions.make(form.person.id, form.account.id, form.text, form.post),
    ),
    delete_comment: act('viewers', 'Delete a comment', { comment }, (it) => comments.remove(it.comment)),
  };
}

/** Messages to business accounts, and those that the accounts send without the app. */
export function talkActs({ world, names, talk, posts }: Parts, actionFields: ActionFields): Acts {
  const { docs, options } = world;
  const { act, pair, media, message, post } = actionFields;
  const between = ({ person, account }: Filled<typeof pair>) => talk.between(account.id, person.id);
  const kinds = {
    url: media,
    post: maybeOne(post),
    sticker: optional(flag('A sticker')),
    type: optional(oneOf('Something else', ['emoji', 'other'])),
  };
  function saying({ url: file, post: shared, sticker, type }: Filled<typeof kinds>, words = ''): Saying {
    if (file !== undefined)
      return { type: file.mime.startsWith('video/') ? 'video' : 'image', body: { media_id: file.id } };
    if (shared !== undefined)
      return { type: 'share_post', body: { embed_url: posts.embedOf(shared), video_id: shared.id } };
    const picture = { url: names.avatarOf('1') };
    if (type !== undefined) return { type, body: type === 'emoji' ? picture : {} };
    return sticker ? { type: 'sticker', body: picture } : { type: 'text', body: { body: words } };
  }
  return {
    write: act('viewers', 'Write to a business account', { ...pair, text: optional(long('Text')), ...kinds }, (form) =>
      talk.fromUser(between(form), saying(form, form.text)),
    ),
    press: act('viewers', 'Press a button', { message, button: text('Button') }, (by) => {
      const { id, parent_id, body } = by.message;
      const [card] = (body['elements'] ?? []) as readonly { buttons: readonly { text: string; id: string }[] }[];
      const button = there(
        card?.buttons.find((one) => one.text === by.button),
        'button',
      );
      const pressed = { reply_source_msg_id: id, reply_source_unique_id: button.id };
      return talk.fromUser(docs.get('conversation', parent_id)!, {
        type: 'text',
        body: { body: button.text },
        pressed,
      });
    }),
    read: act('viewers', 'Read what a business account wrote', pair, (who) => talk.read(between(who))),
    follow: act('viewers', 'Follow a business account', pair, (who) =>
      docs.change('conversation', between(who).id, { follows: true }),
    ),
    refer: act(
      'viewers',
      'Come from a link or an advertisement',
      { ...pair, ref: maybe('Reference of the link; empty is an advertisement') },
      ({ ref, ...who }) => {
        const timestamp = options.clock.now();
        const ad: Fields = {
          advertiser_id: '7000000000000000001',
          ad_id: '1800000000000001',
          ad_name: 'Autumn',
          timestamp,
        };
        const link = { ref, prefilled_message: 'Hello', prefilled_message_audit_status: 'PASS' };
        talk.refer(between(who), ref === undefined ? 'ad' : 'short_link', ref === undefined ? ad : link);
      },
    ),
    answer: act('creators', 'Write to somebody without the app', { ...pair, text: long('Text') }, (form) =>
      talk.fromAccount(between(form), saying({} as never, form.text), 'APP'),
    ),
  };
}
