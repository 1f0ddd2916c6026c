import { tableOf } from '#kernel/text/table.ts';
import { PageError } from '../../forms.ts';
import { makeCast } from '../../graph/people/cast.ts';
import { pictureUrl } from '../../graph/world.ts';
import { flag, long, oneOf, optional, pickKept, short, type Acts } from '../../kit/acts.ts';
import type { Posts } from '../posts.ts';
import { isReply, type Draft, type Post, type World } from '../world.ts';

/** Attachments of replies other than pictures and videos, made from the URL of a picture. */
const ATTACHED = tableOf<(url: string) => Partial<Draft>>({
  gif: (gif: string) => ({ gif }),
  link: () => ({ link: 'https://example.org/news' }),
  poll: () => ({ extra: { poll_attachment: { option_a: 'Tea', option_b: 'Coffee' } } }),
  text: () => ({
    extra: { text_attachment: { plaintext: 'A longer text', link_attachment_url: 'https://example.org/' } },
  }),
});

/** Actions on posts. Only the posts of owners are reported to the app as its user's own. */
export function postActs(world: World, posts: Posts): Acts {
  const { people } = world;
  const { act, follower: person, owner, media } = makeCast(world);
  const nameOf = ({ page_id, text }: Post) => `${people.byId(page_id)?.name}: ${short(text)}`;
  const thing = (label: string, wanted: (post: Post) => boolean) =>
    pickKept(label, posts.get, () => posts.list().filter(wanted), nameOf);
  const [on, reply] = [thing('Post or answer', () => true), thing('Answer', isReply)];
  const post = thing('Post', (one) => !isReply(one));
  const picture_url = media('Picture address');
  const words = { text: long('Text'), picture_url };
  const attached = optional(oneOf('With', [...ATTACHED.keys()]));
  const answer = (group: string, title: string, by: typeof person) =>
    act(group, title, { person: by, on, text: optional(long('Text')), picture_url, attached }, (form) => {
      const { text = '', picture_url: files, attached: kind } = form;
      if (text === '' && files.length === 0 && kind === undefined)
        throw new PageError(400, 'Write or attach something.');
      const more = ATTACHED.get(kind ?? '')?.(pictureUrl(world, form.on.id));
      return posts.create(form.person.id, { text, media: files, reply_to: form.on.id, ...more });
    });

  return {
    reply: answer('follower', 'Answer a post or an answer', person),
    mention: act('follower', 'Mention somebody', { person, whom: owner, text: long('Text') }, (form) => {
      const { handle } = form.whom;
      const text = form.text.includes(`@${handle}`) ? form.text : `@${handle} ${form.text}`;
      return posts.create(form.person.id, { text });
    }),
    like: act('follower', 'Like a post or an answer', { person, on }, (by) => posts.like(by.on.id, by.person.id)),
    quote: act('follower', 'Quote a post', { person, on, text: long('Text') }, ({ text, ...by }) =>
      posts.create(by.person.id, { text, quoted: by.on.id }),
    ),
    delete_reply: act('follower', 'Delete an answer', { reply }, (to) => posts.remove(to.reply.id)),
    own_post: act('owner', 'Post without the app', { person: owner, ...words }, (form) =>
      posts.create(form.person.id, { text: form.text, media: form.picture_url }),
    ),
    own_reply: answer('owner', 'Answer without the app', owner),
    own_repost: act('owner', 'Repost', { person: owner, on }, (by) =>
      posts.create(by.person.id, { text: '', reposted: by.on.id }),
    ),
    own_delete: act('owner', 'Delete a post outside the app', { post }, (to) => posts.remove(to.post.id)),
    own_hide: act(
      'owner',
      'Hide or show an answer without the app',
      { reply, hidden: optional(flag('Hidden')) },
      (to) => posts.hide(to.reply.id, to.hidden),
    ),
  };
}
