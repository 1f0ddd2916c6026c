/** The fields of actions: creators, viewers, posts, comments, drafts and messages. */
import { actsIn, short } from '../../kit/acts.ts';
import { asText } from '../../kit/api/checks.ts';
import { fileField, pickPerson } from '../../kit/action-fields.ts';
import type { Parts } from '../parts.ts';

export function makeActionFields({ world, names }: Parts) {
  const { people, options, fetching, pickDoc } = world;
  const [person, account] = [
    pickPerson('Who', people.find, people.followers),
    pickPerson('Account', (words) => people.byId(names.find(words) ?? ''), people.owners),
  ];
  const nameOf = (id: string, text: string) => `${names.creator(id).name}: ${short(text)}`;
  return {
    act: actsIn(options.store),
    person,
    account,
    pair: { person, account },
    media: fileField(fetching),
    draft: pickDoc(
      'publication',
      ({ id }) => id,
      ({ status }) => status === 'SEND_TO_USER_INBOX',
      'Draft',
    ),
    post: pickDoc('post', ({ page_id, about }) => nameOf(page_id, about.text)),
    comment: pickDoc('comment', ({ author, text }) => nameOf(author, text)),
    message: pickDoc('message', ({ body, type }) => short(asText(body['body']) || type)),
  };
}
export type ActionFields = ReturnType<typeof makeActionFields>;
