import type { TwinAbout } from '#sandbox/twin.ts';
import { SLUG } from '../slug.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: SLUG,
  title: 'Plaza',
  entry: 'Connect an owner by consent, or with the key.',
  apis: ['api'],
  prefix: 'plaza',
});
