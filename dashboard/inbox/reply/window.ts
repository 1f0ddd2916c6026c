import type { InboxThread } from '../../lib/operations.ts';
import { shortDay } from '../../lib/days.ts';
import { wallTimeOf } from '../../lib/time.ts';

/** Until when a person can be written to, and what still reaches them afterwards. */
export type MessageWindow = Readonly<{
  text: string;
  isClosed: boolean;
  /** The tag that messages need now. */
  tag?: string | undefined;
  /** Whether a template still reaches the person. */
  byTemplate: boolean;
}>;

type Clock = Readonly<{ now: number; zone: string }>;

/** The state of the messaging window; undefined if the platform has none. */
export function windowOf({ window, conversation }: InboxThread, name: string, clock: Clock): MessageWindow | undefined {
  if (!window || conversation === undefined) return undefined;
  const { open_until, tags, later } = window;
  const byTemplate = later !== null;
  const afterwards = byTemplate
    ? 'only an approved template reaches them'
    : `nothing reaches them until they write again`;
  if (open_until === null) return { text: `${name} has not written yet: ${afterwards}.`, isClosed: true, byTemplate };
  const tag = tags.find(({ until }) => Date.parse(until) > clock.now);
  const said = (at: string) => momentOf(at, clock);
  if (Date.parse(open_until) > clock.now) {
    const then = tag === undefined ? afterwards : `only the answer of a person, until ${said(tag.until)}`;
    return { text: `You can write until ${said(open_until)}; after that ${then}.`, isClosed: false, byTemplate };
  }
  if (tag !== undefined) {
    const text = `The time to answer ended ${said(open_until)}. Until ${said(tag.until)} this is sent as the answer of a person (${tag.name}).`;
    return { text, isClosed: false, tag: tag.name, byTemplate };
  }
  return { text: `The time to answer ended ${said(open_until)}: ${afterwards}.`, isClosed: true, byTemplate };
}

/** A time in words: only the time of day if it is today. */
function momentOf(at: string, { now, zone }: Clock): string {
  const { day, time } = wallTimeOf(at, zone);
  return day === wallTimeOf(now, zone).day ? time : `${shortDay(day)}, ${time}`;
}
