/** The views of the inbox, in the order of their tabs. */
export const VIEWS = [
  { view: 'unanswered', title: 'To answer', empty: 'Everything is answered.' },
  { view: 'messages', title: 'Messages', empty: 'There are no conversations here.' },
  { view: 'comments', title: 'Comments', empty: 'No post here has comments.' },
  { view: 'mentions', title: 'Mentions', empty: 'Nobody has mentioned these accounts.' },
  { view: 'reviews', title: 'Reviews', empty: 'There is no review here.' },
] as const;

/** Search results, which have no tab. */
export const SEARCH = { view: 'search', title: 'Found', empty: 'Nothing matches your search.' } as const;

export type View = (typeof VIEWS)[number]['view'] | 'search';

/** The events that may change a view, by the first part of their names, such as `dm` in dm.received. */
const EVENTS: Readonly<Record<View, readonly string[]>> = {
  unanswered: ['dm', 'comment', 'mention', 'review'],
  messages: ['dm'],
  comments: ['comment'],
  mentions: ['mention'],
  reviews: ['review'],
  search: [],
};

/** The subject of an inbox event. */
export const subjectOf = (event: unknown): string => (typeof event === 'string' ? event.split('.')[0]! : '');

/** Whether an event may change the list of a view. */
export const concerns = (view: View, event: unknown): boolean => EVENTS[view].includes(subjectOf(event));
