/** Matches what only programs understand: names of operations and fields, routes, advice about calls. */
const FOR_PROGRAMS =
  /(?<![\w@/-])[a-z]+(?:_[a-z]+)+(?![\w@/-]|\.\w)|\/(?:v1|oauth)\/|\bGET \/|\bPOST \/|\bcall again\b/;
const IN_BRACKETS = / \(([^()]*)\)/g;
const SENTENCES = /(?<=[.!?]\)?) +(?=[A-Z])/;

/** Says who connects accounts, to people who may not. */
export const WHO_CONNECTS = 'An administrator of this workspace connects accounts.';

/** Removes the sentences of a message that are for programs; the first one says what happened and is kept. */
export function forPeople(message: string): string {
  const plain = message.replaceAll(IN_BRACKETS, (whole, inner: string) => (FOR_PROGRAMS.test(inner) ? '' : whole));
  return plain
    .split(SENTENCES)
    .filter((sentence, at) => at === 0 || !FOR_PROGRAMS.test(sentence))
    .join(' ');
}

/** The next step for people; empty if it is for programs only. */
export function stepForPeople(step: string): string {
  const plain = forPeople(`. ${step}`);
  return plain === '.' ? '' : plain.slice(2);
}
