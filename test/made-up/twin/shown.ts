import { FOLLOWERS, type Thing } from './docs.ts';
import { known } from './refusals.ts';

/** Things as the API shows them. */
export const shownPerson = (id: unknown) => {
  const { name, handle } = known(FOLLOWERS.find((one) => one.id === String(id)));
  return { id: String(id), name, handle };
};

export const shownComment = ({ id, at, parent_id: post, page_id: stall, parent, author, text }: Thing) => {
  const own = author === 'owner';
  return { id, post, parent, stall, text, at, own, author: own ? { id: stall, name: 'Stall' } : shownPerson(author) };
};

export const shownMessage = ({ id, at, from, text, mark, file }: Thing) => ({ id, at, from, text, mark, file });

export const shownMention = ({ id, at, text, person, page_id: stall }: Thing) => ({
  id,
  at,
  text,
  stall,
  person: shownPerson(person),
});

export const shownReview = ({ id, at, rating, text, person, page_id: stall, reply }: Thing) => ({
  id,
  at,
  rating,
  text,
  stall,
  reply,
  person: shownPerson(person),
});
