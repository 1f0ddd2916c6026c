import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'zalo',
  title: 'Zalo',
  entry: 'Connect an official account through its consent page.',
  apis: ['oauth', 'openapi', 'cdn'],
  prefix: 'za',
});
