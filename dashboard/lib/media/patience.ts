import { signal, type ReadonlySignal } from '@preact/signals';

/** `busy` means that the picture may be available later. */
export type Answered = 'there' | 'busy' | 'none';

/** The state of a picture: the element requests it, it is requested later, or there is none. */
export type Seen = 'asked' | 'later' | 'none';

const WAITS_MS = [2000, 5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000];

type Deps = Readonly<{
  /** Finds out why the picture did not load. */
  look(): Promise<Answered>;
  after(ms: number, run: () => void): () => void;
}>;

/** Requests a picture again after a busy server has refused it, with longer and longer pauses. */
export function makePatience({ look, after }: Deps) {
  const seen = signal<Seen>('asked');
  let tries = 0;
  let isOver = false;
  let forget = () => {};

  async function failed(): Promise<void> {
    const wait = WAITS_MS[tries];
    tries += 1;
    seen.value = wait === undefined ? 'none' : 'later';
    if (wait === undefined) return;
    const answered = await look();
    if (isOver) return;
    if (answered === 'none') seen.value = 'none';
    else if (answered === 'there') seen.value = 'asked';
    else forget = after(wait, () => void (seen.value = 'asked'));
  }

  return {
    seen: seen as ReadonlySignal<Seen>,
    failed: () => void failed(),
    end(): void {
      isOver = true;
      forget();
    },
  };
}

/** Finds out why a picture did not load. Only this server is asked. */
export async function lookAt(url: string): Promise<Answered> {
  if (new URL(url, location.href).origin !== location.origin) return 'none';
  const answer = await fetch(url, { method: 'HEAD' }).catch(() => undefined);
  if (answer?.ok === true) return 'there';
  return answer === undefined || answer.status === 429 || answer.status >= 500 ? 'busy' : 'none';
}
