import type { Values } from './reader.ts';
import { pageUrl } from './values.ts';

/** Pages of the operator; each is absent unless configured. */
export type Links = Readonly<Partial<Record<'privacy' | 'terms' | 'support', string>>>;

export function linksOf({ optional }: Values): Links {
  return Object.freeze({
    privacy: optional('PRIVACY_URL', pageUrl),
    terms: optional('TERMS_URL', pageUrl),
    support: optional('SUPPORT_URL', pageUrl),
  });
}
