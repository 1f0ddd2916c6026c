/** The states of a post and of its targets as people read them. */
export const POST_STATES: ReadonlyMap<string, string> = new Map([
  ['draft', 'Draft'],
  ['scheduled', 'Scheduled'],
  ['pending', 'Scheduled'],
  ['publishing', 'Publishing'],
  ['published', 'Published'],
  ['partial', 'Partly published'],
  ['failed', 'Failed'],
  ['unknown', 'Outcome unknown'],
]);

/** The word for the state of a post. */
export const wordOf = (status: string): string => POST_STATES.get(status) ?? status;
