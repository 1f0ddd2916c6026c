import type { JSX } from 'preact';
import { Icon, Marks, State } from '../lib/parts.tsx';
import { calendar } from './calendar.ts';
import { drag } from './drag.ts';
import type { Post } from '../lib/operations.ts';

/** `isStop` tells whether Tab stops here in the grid; elsewhere Tab always does. */
type ChipProps = Readonly<{ post: Post; time: string | undefined; day: string; isStop?: boolean }>;

/** A post on a day: its state, time, accounts and text. */
export function Chip({ post, time, day, isStop }: ChipProps): JSX.Element {
  const { id, status, text, title, targets } = post;
  const isHeld = calendar.carried.value?.id === id;
  const refusal = calendar.refusal.value;
  return (
    <>
      <button
        type="button"
        id={id}
        class={`chip ${status}${isHeld ? ' held' : ''}`}
        tabIndex={isStop === false ? -1 : 0}
        aria-describedby={isStop !== undefined && calendar.isMovable(post) ? 'how-to-move' : undefined}
        onFocus={() => isStop !== undefined && calendar.stand(day, id)}
        onPointerDown={(event) => drag(event, post, day)}
        onClick={() => calendar.ask(post)}
      >
        <span class="line">
          <State status={status} />
          {time !== undefined && <time>{time}</time>}
          <Marks targets={targets} />
        </span>
        <span class="words">
          <bdi>{text ?? title ?? 'No text'}</bdi>
        </span>
      </button>
      {refusal?.id === id && (
        <small class="bad">
          <Icon name="failed" /> {refusal.text}
        </small>
      )}
    </>
  );
}
