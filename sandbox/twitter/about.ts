import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'twitter',
  title: 'X',
  entry: 'Connect an account through the consent page, with the credentials of an app that the console shows.',
  apis: ['api', 'cdn'],
  prefix: 'tw',
});
