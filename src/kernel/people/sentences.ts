/** Names of operations and fields, unlike those of files and people; routes; what is said of calls. */
const FOR_PROGRAMS =
  /(?<![\w@/-])[a-z]+(?:_[a-z]+)+(?![\w@/-]|\.\w)|\/(?:v1|oauth)\/|\bGET \/|\bPOST \/|\bcall again\b/;
const IN_BRACKETS = / \(([^()]*)\)/g;
const SENTENCES = /(?<=[.!?]\)?) +(?=[A-Z])/;

/** A message without the sentences that tell programs what to do; the first one says what happened, and stays. */
export function forPeople(message: string): string {
  const plain = message.replaceAll(IN_BRACKETS, (whole, inner: string) => (FOR_PROGRAMS.test(inner) ? '' : whole));
  return plain
    .split(SENTENCES)
    .filter((sentence, at) => at === 0 || !FOR_PROGRAMS.test(sentence))
    .join(' ');
}

/** What to do, for people; nothing if it is for programs alone. */
export function stepForPeople(step: string): string {
  const plain = forPeople(`. ${step}`);
  return plain === '.' ? '' : plain.slice(2);
}
