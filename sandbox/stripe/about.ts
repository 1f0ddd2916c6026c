import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'stripe',
  title: 'Stripe',
  entry: 'No social network: begin a checkout (create_checkout), and pay on the page it leads to.',
  apis: ['api'],
  prefix: 'stripe',
});
