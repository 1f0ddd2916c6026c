import { ownCodes } from '#kernel/errors.ts';
import type { Platform } from '../platform.ts';
import { connect } from './connect.ts';
import { stateErrors, table } from './errors.ts';
import { limits } from './limits.ts';
import { messages } from './messages.ts';
import { numbers } from './numbers.ts';
import { push } from './push.ts';
import { templates } from './templates.ts';
import { GRAPH, GRAPH_ID } from '../graph/api.ts';

/** WhatsApp over the Cloud API; an account is one phone number of a business. */
export const whatsapp = Object.freeze<Platform>({
  slug: 'whatsapp',
  title: 'WhatsApp',
  versions: [GRAPH],
  errors: { '': table, 'numbers and templates': stateErrors.table },
  sharedPrefix: true,
  hosts: {
    real: { graph: 'https://graph.facebook.com', web: 'https://www.facebook.com', chat: 'https://wa.me' },
    sandbox: ({ api, web }) => ({ graph: `${api}/graph`, web: `${web}/www` }),
  },
  connect,
  ids: { template: GRAPH_ID },
  messages,
  push,
  limits,
  numbers,
  templates,
  codes: ownCodes('whatsapp'),
});
