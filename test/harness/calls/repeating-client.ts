import type { Answer } from '../world.ts';

/** What of an answer makes the client ask again, whatever the method; it sends no Idempotency-Key. */
const REPEATED: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);
const MOST_REPEATS = 2;
const LONGEST_WAIT_S = 60;

/** No answer within the client's time, or no connection at all. */
export class NoAnswer extends Error {}

type Tried = Readonly<{
  /** The last answer; absent when there was none to the last try either. */
  answer: Answer | undefined;
  /** The status of every try; 0 where no answer came. */
  tries: readonly number[];
}>;

/** Asks as the public Python SDK does (0.3.0): it repeats what failed twice, a POST like any other request. */
export async function askRepeatedly(
  ask: (attempt: number) => Promise<Answer>,
  pause: (ms: number) => Promise<void>,
): Promise<Tried> {
  const tries: number[] = [];
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask(attempt).catch((error: unknown) => {
      if (error instanceof NoAnswer) return undefined;
      throw error;
    });
    tries.push(answer?.status ?? 0);
    const isOver = answer !== undefined && !REPEATED.has(answer.status);
    if (isOver || attempt === MOST_REPEATS) return { answer, tries };
    await pause(waitMs(answer, attempt));
  }
}

function waitMs(answer: Answer | undefined, attempt: number): number {
  const told = answer?.headers.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(told)) return Math.min(Number(told), LONGEST_WAIT_S) * 1000;
  return Math.random() * Math.min(8, 0.5 * 2 ** attempt) * 1000;
}
