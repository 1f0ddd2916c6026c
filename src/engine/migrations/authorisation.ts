import type { Provider } from './provider.ts';

/** To be changed whenever the text below changes. */
const VERSION = '2026-11-23';

/** What a person accepts before a migration starts. */
export function authorisationOf({ title }: Pick<Provider, 'title'>): Readonly<{ text: string; version: string }> {
  const text = `I may use this API key of ${title}. Until the migration is stopped, this server keeps the key encrypted, reads with it the profiles and accounts it opens, and passes on to ${title} the requests that are sent with it to the base URL of the migration. Stopping the migration erases the key.`;
  return { text, version: VERSION };
}
