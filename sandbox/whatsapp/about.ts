import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'whatsapp',
  title: 'WhatsApp',
  entry: 'Connect an owner by the sign-up dialog, or with the system user token and the ids below.',
  apis: ['graph', 'lookaside', 'cdn'],
  prefix: 'wa',
});
