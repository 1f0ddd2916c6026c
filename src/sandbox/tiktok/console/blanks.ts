/** The blanks of the acts: creators, viewers, posts, comments, drafts and messages. */
import { actsIn, short } from '../../kit/acts.ts';
import { asText } from '../../kit/api/checks.ts';
import { fileBlank, pickDoc, pickPerson } from '../../kit/blanks.ts';
import type { Parts } from '../parts.ts';

export function makeBlanks({ world, names, posts, comments }: Parts) {
  const { people, docs, options, fetching } = world;
  const [person, account] = [
    pickPerson('Who', people.find, people.followers),
    pickPerson('Account', (words) => people.byId(names.find(words) ?? ''), people.owners),
  ];
  const nameOf = (id: string, text: string) => `${names.creator(id).name}: ${short(text)}`;
  const drafts = () => docs.list('publication').filter(({ status }) => status === 'SEND_TO_USER_INBOX');
  return {
    act: actsIn(options.store),
    person,
    account,
    pair: { person, account },
    media: fileBlank(fetching),
    draft: pickDoc('Draft', drafts, ({ id }) => id),
    post: pickDoc(
      'Post',
      () => docs.list('post'),
      ({ page_id, about }) => nameOf(page_id, about.text),
      posts.get,
    ),
    comment: pickDoc(
      'Comment',
      () => docs.list('comment'),
      ({ author, text }) => nameOf(author, text),
      comments.get,
    ),
    message: pickDoc(
      'Message',
      () => docs.list('message'),
      ({ body, type }) => short(asText(body['body']) || type),
    ),
  };
}
export type Blanks = ReturnType<typeof makeBlanks>;
