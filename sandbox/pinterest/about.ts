import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'pinterest',
  title: 'Pinterest',
  entry: 'Connect an account through its consent page.',
  apis: ['api', 'upload', 'cdn'],
  prefix: 'pi',
});
