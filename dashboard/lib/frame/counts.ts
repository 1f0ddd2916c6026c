import type { Call } from '../call.ts';
import type { LogEvent } from '../operations.ts';

type CountsDeps = Readonly<{
  call: Call;
  later(run: () => void): void;
  /** Shows a number in the rail; an empty one is none. */
  show(what: 'failed' | 'unanswered', count: string): void;
}>;

type Counted = Readonly<{ data: readonly unknown[]; pagination: Readonly<{ has_more: boolean }> }>;

/** The numbers in the rail: posts that failed, and what waits for an answer. */
export function makeCounts({ call, later, show }: CountsDeps) {
  const textOf = ({ data, pagination: { has_more } }: Counted) =>
    data.length === 0 ? '' : `${data.length}${has_more ? '+' : ''}`;

  async function read(): Promise<void> {
    const [failed, unanswered] = await Promise.all([
      call('list_posts', { status: ['failed', 'partial'] }),
      call('list_unanswered', {}),
    ]);
    show('failed', textOf(failed));
    show('unanswered', textOf(unanswered));
  }

  const refresh = () => void read().catch(() => undefined);
  return {
    refresh,
    /** Counts again after what may change a number. */
    heard({ category }: LogEvent): void {
      if (category === 'post' || category === 'inbox') later(refresh);
    },
  };
}

/** Writes a number beside the link of the rail that has room for it. */
export function showCount(what: 'failed' | 'unanswered', count: string): void {
  const place = document.querySelector<HTMLElement>(`.rail [data-count=${what}]`);
  if (place === null) return;
  place.hidden = count === '';
  place.querySelector('b')!.textContent = count;
}
