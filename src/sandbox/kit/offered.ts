/** The acts as the console offers them: as forms with lists of what there is to choose from. */
import type { Action, ActionField } from '../twin.ts';
import type { Act, Acts, Field } from './acts.ts';
import type { Comment, Post } from '../facebook/docs.ts';
import type { World } from '../facebook/world.ts';

type Choice = Readonly<{ value: string; label: string }>;

const OFFERED = 40;
const LABEL_LENGTH = 60;
const GROUPS: Readonly<Record<Act['group'], string>> = Object.freeze({
  follower: 'What followers do',
  page: 'What the people of a Page do without the app',
  owner: 'What owners do with their accounts',
  twin: 'What the network does',
});
/** For programs alone: a browser has the dialog. */
const UNSEEN = 'consent';

/** Makes the actions of the twin out of its acts. */
export function offered({ nodes, people }: World, acts: Acts): readonly Action[] {
  const short = (text = '') => (text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH)}…` : text);
  const named = (all: readonly Readonly<{ id: string; name: string }>[]): readonly Choice[] =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  const newest = <T extends { at: number; deleted_at?: number }>(all: readonly T[]): readonly T[] =>
    all
      .filter(({ deleted_at }) => deleted_at === undefined)
      .toSorted((a, b) => b.at - a.at)
      .slice(0, OFFERED);

  const authorOf = ({ author, page_id }: Comment | Post) =>
    (author === undefined ? people.page(page_id) : people.byId(author))?.name;
  const posts = () => newest(nodes.list('post').filter(({ is_published }) => is_published));
  const comments = () => newest(nodes.list('comment'));
  const postChoice = (post: Post): Choice => ({ value: post.id, label: `${authorOf(post)}: ${short(post.message)}` });
  const commentChoice = (one: Comment): Choice => ({
    value: one.id,
    label: `Comment of ${authorOf(one)}: ${short(one.message)}`,
  });
  function messageChoices(): readonly Choice[] {
    return newest(nodes.list('message')).map(({ id, parent_id, page_id, from_page, text, pieces }) => {
      const person = people.byId(nodes.get('thread', parent_id)?.parent_id ?? '')?.name;
      const names = [people.page(page_id)?.name, person];
      const [from, to] = from_page ? names : names.toReversed();
      return { value: id, label: `${from} to ${to}: ${short(text ?? pieces.map(({ type }) => type).join(', '))}` };
    });
  }

  const lists: Readonly<Partial<Record<Field['kind'], () => readonly Choice[]>>> = {
    page: () => named(people.pages()),
    follower: () => named(people.followers()),
    owner: () => named(people.owners()),
    thing: () => [...posts().map(postChoice), ...comments().map(commentChoice)],
    post: () => posts().map(postChoice),
    comment: () => comments().map(commentChoice),
    message: messageChoices,
  };
  function blankOf(name: string, { label, kind, optional, choices }: Field): ActionField {
    const list = choices === undefined ? lists[kind] : () => choices.map((one) => ({ value: one, label: one }));
    const input = kind === 'long' ? 'lines' : kind === 'flag' || kind === 'number' ? kind : 'text';
    return { name, label, input, ...(optional === true && { optional }), ...(list && { choices: list }) };
  }

  const groups = Object.keys(GROUPS);
  return Object.entries(acts)
    .filter(([name]) => name !== UNSEEN)
    .toSorted(([, a], [, b]) => groups.indexOf(a.group) - groups.indexOf(b.group))
    .map(([name, { title, group, fields }]) => ({
      name,
      label: title,
      group: GROUPS[group],
      fields: Object.entries(fields).map(([field, shape]) => blankOf(field, shape)),
    }));
}
