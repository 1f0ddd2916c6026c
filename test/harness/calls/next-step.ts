/** Verbs that a step begins with: it tells its reader to do something. */
const VERBS = new Set(
  (
    'Activate Add Answer Ask Call Change Check Choose Compare Connect Correct Create Delete Disconnect Do End Follow Get Grant ' +
    'Leave List Load Look Make Move Name Publish Reach Read Refresh Register Remove Send Set Shorten Sign Start Switch Take Try ' +
    'Restart Revoke Use Verify Wait Write'
  ).split(' '),
);

/** The sentences of a message that tell its reader what to do. */
export function stepsIn(message: string): readonly string[] {
  const sentences = message.split(/(?<=[.!?)]) (?=[A-Z])/);
  return sentences.filter((sentence) => VERBS.has(sentence.split(/[\s:,]/, 1)[0]!));
}

/** Throws when a refusal leaves its reader without a next step; a list of what may be sent is one. */
export function checkStep(message: unknown): void {
  if (typeof message === 'string' && (stepsIn(message).length > 0 || /^\w+ must /.test(message))) return;
  throw new Error(`A refusal says no next step: ${String(message)}`);
}
