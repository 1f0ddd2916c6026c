import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'instagram',
  title: 'Instagram',
  entry: 'Connect an account by its Instagram log-in, or an owner by the Facebook log-in: the pages let you choose.',
  apis: ['graph', 'api', 'graph-facebook', 'rupload', 'cdn'],
  prefix: 'ig',
});
