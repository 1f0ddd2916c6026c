import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'threads',
  title: 'Threads',
  entry: 'Connect an owner: the consent page lets you choose who you are.',
  apis: ['graph', 'cdn'],
  prefix: 'th',
});
