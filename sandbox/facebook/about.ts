import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'facebook',
  title: 'Facebook',
  entry: 'Connect an owner: the log-in dialog lets you choose who you are.',
  apis: ['graph', 'graph-video', 'rupload', 'cdn'],
  prefix: 'fb',
});
