// Dragging with a mouse, a pen, or a finger that is held still first. The keyboard can do the same.
import type { TargetedPointerEvent } from 'preact';
import type { Post } from '../lib/operations.ts';
import { calendar } from './calendar.ts';

/** A press that moves less than this is a click. */
const FAR_PX = 6;
const REST_MS = 350;
/** How long the pointer has to stay on an arrow until the month changes. */
const TURN_MS = 550;
/** The page scrolls when the pointer is closer to the window's edge than this; the closer, the faster. */
const EDGE_PX = 48;
const SLOWNESS = 4;

type Point = Readonly<{ x: number; y: number }>;
const under = ({ x, y }: Point) => document.elementFromPoint(x, y) ?? undefined;
/** How far the page scrolls in the next frame. */
const scrollAt = ({ y }: Point): number =>
  (Math.min(0, y - EDGE_PX) + Math.max(0, y - innerHeight + EDGE_PX)) / SLOWNESS;
const dayUnder = (point: Point) => under(point)?.closest<HTMLElement>('[data-day]')?.dataset['day'];

/** Tracks a drag that begins on a post. `from` is the post's day; it is empty for a draft without one. */
export function drag(event: TargetedPointerEvent<HTMLElement>, post: Post, from: string): void {
  if (event.button !== 0 || !calendar.isMovable(post)) return;
  const chip = event.currentTarget;
  const isTouch = event.pointerType === 'touch';
  const start: Point = { x: event.clientX, y: event.clientY };
  const ends = new AbortController();
  const { signal } = ends;
  let ghost: HTMLElement | undefined;
  let at = start;
  let turning: Readonly<{ by: number; timer: number }> | undefined;

  function begin(): void {
    if (!calendar.pickUp(post.id, from, 'pointer')) return end();
    ghost = makeGhost(chip);
    follow(start);
    requestAnimationFrame(scroll);
  }

  /** Scrolls while the pointer stays at the edge. */
  function scroll(): void {
    if (ghost === undefined) return;
    const by = scrollAt(at);
    if (by !== 0) {
      scrollBy({ top: by, behavior: 'instant' });
      follow(at);
    }
    requestAnimationFrame(scroll);
  }

  function follow(point: Point): void {
    at = point;
    ghost!.style.translate = `${point.x + 8}px ${point.y + 8}px`;
    const day = dayUnder(point);
    if (day !== undefined && day !== calendar.carried.value?.over) calendar.carryOver(day);
    const by = Number(under(point)?.closest<HTMLElement>('[data-turn]')?.dataset['turn'] ?? 0);
    if (by === (turning?.by ?? 0)) return;
    clearInterval(turning?.timer);
    turning = by === 0 ? undefined : { by, timer: window.setInterval(() => calendar.turn(by), TURN_MS) };
  }

  function moved({ clientX: x, clientY: y }: PointerEvent): void {
    if (ghost === undefined && Math.hypot(x - start.x, y - start.y) > FAR_PX) {
      // A finger that moves at once scrolls the page instead.
      if (isTouch) end();
      else begin();
    }
    if (ghost !== undefined) follow({ x, y });
  }

  function lifted({ clientX: x, clientY: y }: PointerEvent): void {
    const wasDragged = ghost !== undefined;
    end();
    if (!wasDragged) return;
    // Stops the click that follows a drag from opening anything.
    const hush = new AbortController();
    addEventListener('click', (click) => click.stopPropagation(), { capture: true, signal: hush.signal });
    setTimeout(() => hush.abort());
    const day = dayUnder({ x, y });
    if (day === undefined) calendar.putBack();
    else calendar.putDown(day);
  }

  function end(): void {
    ends.abort();
    clearTimeout(resting);
    clearInterval(turning?.timer);
    ghost?.remove();
    ghost = undefined;
  }

  function cancel(): void {
    const wasDragged = ghost !== undefined;
    end();
    if (wasDragged) calendar.putBack();
  }

  const resting = isTouch ? window.setTimeout(begin, REST_MS) : undefined;
  addEventListener('pointermove', moved, { signal });
  addEventListener('pointerup', lifted, { signal });
  addEventListener('pointercancel', cancel, { signal });
  addEventListener('keydown', ({ key }) => key === 'Escape' && cancel(), { signal });
  const hold = (touch: TouchEvent) => ghost !== undefined && touch.preventDefault();
  document.addEventListener('touchmove', hold, { passive: false, signal });
}

function makeGhost(chip: HTMLElement): HTMLElement {
  const ghost = chip.cloneNode(true) as HTMLElement;
  ghost.removeAttribute('id');
  ghost.setAttribute('aria-hidden', 'true');
  ghost.classList.add('ghost');
  document.body.append(ghost);
  return ghost;
}
