/** The views of the inbox, in the order of their tabs. */
export const VIEWS = [
  { view: 'unanswered', title: 'To answer', empty: 'Everything is answered.' },
  { view: 'messages', title: 'Messages', empty: 'There are no conversations here.' },
  { view: 'comments', title: 'Comments', empty: 'No post here has comments.' },
  { view: 'mentions', title: 'Mentions', empty: 'Nobody has mentioned these accounts.' },
  { view: 'reviews', title: 'Reviews', empty: 'There is no review here.' },
] as const;

/** What was looked for, which has no tab. */
export const SEARCH = { view: 'search', title: 'Found', empty: 'Nothing matches your search.' } as const;

export type View = (typeof VIEWS)[number]['view'] | 'search';

/** What tells that a view has changed: the beginning of events, such as dm.received. */
const EVENTS: Readonly<Record<View, readonly string[]>> = {
  unanswered: ['dm', 'comment', 'mention', 'review'],
  messages: ['dm'],
  comments: ['comment'],
  mentions: ['mention'],
  reviews: ['review'],
  search: [],
};

/** What an event of the inbox is about. */
export const subjectOf = (event: unknown): string => (typeof event === 'string' ? event.split('.')[0]! : '');

/** Whether the list of a view may be another after an event. */
export const concerns = (view: View, event: unknown): boolean => EVENTS[view].includes(subjectOf(event));
