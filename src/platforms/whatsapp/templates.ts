import * as z from 'zod';
import type { Template, TemplateRequest, Templates } from '../business.ts';
import type { AccountCall } from '../call.ts';
import type { PlatformError } from '../errors.ts';
import { cursorOf, Id, listOf, Success } from '../graph/api.ts';
import { isGraph } from '../graph/errors.ts';
import { isMissing, isRefused, refused } from '../shared/errors.ts';
import { text, word } from '../shared/fields.ts';
import { path } from '../shared/rest.ts';
import { asAccount, changeState } from './api.ts';
import { conversationWith, knownBy, recipientOf } from './people.ts';
import { sendMessage } from './send.ts';
import { checkTemplate } from './template-check.ts';

const PATH = '/{waba}/message_templates';
const FIELDS = 'id,name,language,status,category,components';

const Listed = z.object({
  id: Id,
  name: word,
  language: word,
  status: word,
  category: word,
  components: z.array(z.looseObject({ type: z.string(), text })).catch([]),
});
const Page = listOf(Listed);
const Created = z.object({ id: Id, status: z.string().catch('PENDING').default('PENDING'), category: word });

/** The templates of a name in all its languages, of which WhatsApp has fewer than 100. */
async function templatesNamed(call: AccountCall, name: string): Promise<readonly Template[]> {
  const query = { fields: FIELDS, name, limit: 100 };
  const { data } = await asAccount(call, { method: 'GET', path: PATH, query }, Page);
  // WhatsApp also returns templates whose names only contain this name.
  return data.filter((template) => template.name === name);
}

const missing = (instead: PlatformError): PlatformError =>
  refused('not_found', 'WhatsApp has no such template.', instead, 'whatsapp.template_not_found');

const inUse = (instead: PlatformError): PlatformError =>
  refused('invalid_request', 'A campaign uses this template.', instead, 'resource.conflict');

/** Converts the error for a missing object to the error for a missing template. */
async function orMissing<T>(answer: Promise<T>, isAbsence: (error: unknown) => boolean = isMissing): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isAbsence(error) ? missing(error as PlatformError) : error;
  }
}

/** Adds the index and type that buttons need if the caller omitted them. */
function componentsOf({ components }: TemplateRequest) {
  let buttons = 0;
  return components.map(({ type, parameters, ...more }) => {
    if (type !== 'button') return { type, parameters, ...more };
    const sub_type = parameters[0]?.type === 'payload' ? 'quick_reply' : 'url';
    return { type, sub_type, index: String(buttons++), parameters, ...more };
  });
}

/** The templates of the business account to which the number belongs. */
export const templates = Object.freeze<Templates>({
  check: checkTemplate,

  async list(call, { limit, cursor: after }) {
    const query = { fields: FIELDS, limit, after };
    const page = await asAccount(call, { method: 'GET', path: PATH, query }, Page);
    return { items: page.data, cursor: cursorOf(page) };
  },

  create: {
    async send(call, { name, category, language, components }) {
      const json = { name, category, language, components };
      const made = await changeState(call, { method: 'POST', path: PATH, json }, Created);
      return { ...made, category: made.category || category };
    },
    /** If it is not listed, it may be sent again, as WhatsApp accepts each name and language only once. */
    async settle(call, draft) {
      const found = (await templatesNamed(call, draft.name)).find(({ language }) => language === draft.language);
      return found === undefined ? 'absent' : { id: found.id, status: found.status, category: found.category };
    },
  },

  /** Objects that are not templates lack these fields, so Graph refuses the request. */
  read: (call, id) =>
    orMissing(
      asAccount(call, { method: 'GET', ...path`/${{ template: id }}`, query: { fields: FIELDS } }, Listed),
      (error) => isMissing(error) || isGraph(error, 100),
    ),

  update: async (call, id, components) =>
    void (await orMissing(
      changeState(call, { method: 'POST', ...path`/${{ template: id }}`, json: { components } }, Success),
    )),

  async remove(call, name) {
    try {
      await orMissing(changeState(call, { method: 'DELETE', path: PATH, query: { name } }, Success));
    } catch (error) {
      if (!isRefused(error, 'invalid_request')) throw error;
      // Either there is no template of this name, or it cannot be deleted at the moment.
      throw (await templatesNamed(call, name)).length === 0 ? missing(error) : inUse(error);
    }
  },

  send: {
    async send(call, request, state) {
      const { to, template_name: name, language: code } = request;
      const template = { name, language: { policy: 'deterministic', code }, components: componentsOf(request) };
      const somebody = conversationWith(knownBy(to))!;
      const sent = await sendMessage(call, recipientOf(somebody), { type: 'template', template }, state);
      return {
        ...sent,
        conversation: sent.conversation ?? somebody,
        recipient: sent.recipient ?? to,
      };
    },
  },
});
