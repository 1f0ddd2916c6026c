/** What members, followers and administrators do, and how LinkedIn behaves. */
import { PageError } from '../forms.ts';
import * as kit from '../kit/acts.ts';
import { codeAndMessage } from '../kit/api/orders.ts';
import { worldActs } from '../kit/world.ts';
import type { Parts } from './api/calls.ts';
import { REACTIONS, ROLES, VISIBILITIES, type Comment } from './docs.ts';
import { readLittleText } from './text.ts';
import { personUrn } from './world.ts';

function makeActionFields({ world, names }: Pick<Parts, 'world' | 'names'>) {
  const { people, docs } = world;
  const organizations = () => docs.list('organization');
  const plain = (commentary: string) => kit.short(readLittleText(commentary).plain);
  const person = kit.pick('Who', 'person', people.find, () => kit.byHandle(people.all()));
  const actor = (words: string) => {
    const found = people.find(words);
    return found === undefined ? names.organization(words) : { id: personUrn(found.id) };
  };
  const comment = (id: string) => docs.get('comment', id) ?? names.commentAt(id);
  return {
    act: kit.actsIn(world.options.store),
    person,
    actor: kit.pick('Who', 'actor', actor, () => [...person.offers(), ...kit.byName(organizations())]),
    organization: kit.pick('Organisation', 'organisation', names.organization, () => kit.byName(organizations())),
    post: kit.pick('Post', 'post', names.post, () =>
      kit.offered(docs.list('post'), ({ body }) => plain(body.commentary)),
    ),
    comment: kit.pick('Comment', 'comment', comment, () =>
      kit.offered(docs.list('comment'), ({ text }) => kit.short(text)),
    ),
    text: kit.long('Text'),
    visibility: kit.optional(kit.oneOf('Visibility', VISIBILITIES)),
  };
}

function sayingActs({ world, feed, names }: Parts): kit.Acts {
  const { docs, options } = world;
  const { act, actor: person, post, comment, text, visibility, ...actionFields } = makeActionFields({ world, names });
  const bodyOf = (words = '', seen = 'PUBLIC') => {
    return { commentary: words.replaceAll(/[|{}@[\]()<>#\\*_~]/gu, String.raw`\$&`), visibility: seen };
  };
  const picture = kit.optional(kit.flag('With a picture'));
  const target = (of: Comment) => ({ post: docs.get('post', of.parent_id)!, comment: of });
  return {
    comment: act('people', 'Comment on a post', { person, post, text: kit.optional(text), picture }, (form) => {
      if (form.text === undefined && !form.picture) throw new PageError(400, 'There is nothing to say.');
      const images = form.picture ? ['urn:li:image:picture'] : [];
      return names.comment(feed.comment({ post: form.post }, form.person.id, form.text ?? '', images));
    }),
    reply: act('people', 'Reply to a comment', { person, comment, text }, (form) =>
      names.comment(feed.comment(target(form.comment), form.person.id, form.text)),
    ),
    edit_comment: act('people', 'Edit a comment', { comment, text }, (by) =>
      feed.editComment(target(by.comment), by.text),
    ),
    delete_comment: act('people', 'Delete a comment', { comment }, (by) => feed.removeComment(target(by.comment))),
    react: act(
      'people',
      'React to a post or a comment',
      {
        person,
        post: kit.maybeOne(post),
        comment: kit.maybeOne(comment),
        kind: kit.optional(kit.oneOf('Reaction', REACTIONS)),
      },
      (by) => {
        const about = by.comment === undefined ? { post: kit.there(by.post, 'post') } : target(by.comment);
        feed.react(about, by.person.id, by.kind ?? 'LIKE');
      },
    ),
    share: act('people', 'Share a post', { person, post, text: kit.optional(text) }, (by) => {
      const body = { ...bodyOf(by.text), reshareContext: { parent: by.post.id } };
      return feed.post(by.person.id, body, 'share', by.post).id;
    }),
    mention: act('people', 'Mention an organisation', { ...actionFields, text, visibility }, (by) => {
      const { id, name } = by.organization;
      const body = bodyOf(by.text, by.visibility);
      const commentary = `@[${name}](${id}) ${body.commentary}`;
      return feed.post(personUrn(by.person.id), { ...body, commentary }, 'share').id;
    }),
    post: act('owners', 'Post without the app', { person, text, visibility }, (by) => {
      return feed.post(by.person.id, bodyOf(by.text, by.visibility), 'share').id;
    }),
    delete_post: act('owners', 'Delete a post outside the app', { post }, (by) => feed.remove(by.post)),
    close_comments: act(
      'owners',
      'Open or close the comments of a post',
      { post, closed: kit.flag('Closed') },
      (of) => {
        docs.change('post', of.post.id, { isClosed: of.closed });
      },
    ),
    view: act(
      'people',
      'Look at a post',
      { post, impressions: kit.optional(kit.number('How often')), clicks: kit.optional(kit.number('Clicks')) },
      ({ post: { id: parent_id }, impressions = '1', clicks = '0' }) => {
        const view = { id: names.newNumber(), at: options.clock.now(), parent_id };
        docs.put('view', { ...view, impressions: Number(impressions), clicks: Number(clicks) });
      },
    ),
  };
}

export function linkedinActs(parts: Parts): kit.ActTable {
  const { world, login, notices } = parts;
  const { docs, options } = world;
  const { act, person, organization } = makeActionFields(parts);
  const role = kit.optional(kit.oneOf('Role; empty is none', ROLES));
  return {
    acts: {
      ...sayingActs(parts),
      set_role: act('owners', 'Give or take a role', { person, organization, role }, (by) => {
        const row = { at: options.clock.now(), page_id: by.organization.id, person: personUrn(by.person.id) };
        const id = `${row.page_id} ${row.person}`;
        docs.remove('role', id);
        if (by.role !== undefined) docs.put('role', { ...row, id, role: by.role });
      }),
      remove_app: act('owners', 'Remove the app from a member', { person }, (by) => login.tokens.revoke(by.person.id)),
      check_webhooks: {
        group: 'twin',
        title: 'Let all webhooks prove themselves again',
        fields: {},
        run: () => Promise.all(docs.list('endpoint').map(({ id }) => notices.prove(id))),
      },
      consent: login.consent.act((words) => words),
      ...worldActs(world, codeAndMessage('INTERNAL_SERVER_ERROR', 'Internal Server Error')),
    },
    groups: { people: 'What people do', owners: 'What members and administrators do', twin: 'How LinkedIn behaves' },
  };
}
