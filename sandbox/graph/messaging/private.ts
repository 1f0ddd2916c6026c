/** Private replies to public posts and comments: only one each, and to a comment only within a week. */
import type { Clock } from '#kernel/clock.ts';
import type { Doc, DocStore } from '../../kit/docs.ts';
import { unknownObject, type GraphError } from '../api/errors.ts';
import type { Page } from '../docs.ts';
import type { People } from '../people/people.ts';
import type { PrivateReplies } from './messages.ts';

const WEEK = 7 * 86_400_000;

type Public = Doc &
  Readonly<{ page_id: string; author?: string | undefined; private_reply?: string; deleted_at?: number }>;

type World = Readonly<{ nodes: DocStore<{ comment: Public }>; people: People; clock: Clock }>;

/** Whether a comment is less than a week old and has no private reply yet. */
export const isRepliable = ({ clock }: Pick<World, 'clock'>, { author, private_reply, at }: Public): boolean =>
  author !== undefined && private_reply === undefined && at + WEEK > clock.now();

/** A platform's private replies; `find` looks up the post or comment that a recipient names. */
export const privateReplies = (
  { nodes, people, clock }: World,
  find: (
    recipient: Readonly<Record<string, unknown>>,
  ) => Readonly<{ id: string; thing: Public | undefined }> | undefined,
  refuse: Readonly<{ used(): GraphError; late(): GraphError; nobody(id: string): GraphError }>,
): PrivateReplies =>
  Object.freeze({
    target(page: Page, recipient: Readonly<Record<string, unknown>>) {
      const named = find(recipient);
      if (named === undefined) return undefined;
      const { id, thing } = named;
      if (thing === undefined || thing.page_id !== page.id || thing.deleted_at !== undefined)
        throw unknownObject(id, 'post');
      const person = thing.author === undefined ? undefined : people.byId(thing.author);
      if (person === undefined) throw refuse.nobody(id);
      if (thing.private_reply !== undefined) throw refuse.used();
      if (nodes.get('comment', id) !== undefined && !isRepliable({ clock }, thing)) throw refuse.late();
      return { id, person };
    },
    answered(id: string, message: string | undefined) {
      const comment = nodes.get('comment', id);
      if (comment === undefined) return;
      if (message !== undefined) nodes.change('comment', id, { private_reply: message });
      else if (comment.private_reply !== undefined) throw refuse.used();
    },
  });
