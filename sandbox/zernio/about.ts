import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'zernio',
  title: 'Zernio',
  entry: 'No social network: a provider that accounts are moved away from, with one of the API keys shown here.',
  apis: ['api', 'media'],
  prefix: 'zernio',
});
