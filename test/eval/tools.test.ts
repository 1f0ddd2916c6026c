import { describe, expect, it } from 'vitest';
import { inputOf } from '#call/input.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { coerceInput } from '#serve/coerce-input.ts';
import type { JsonSchema } from '#serve/schema.ts';
import { toolsets } from '#tools/index.ts';

type Shown = Readonly<{
  type?: string;
  description?: string;
  properties?: Readonly<Record<string, Shown>>;
  items?: Shown;
}>;

/** Every tool as an assistant sees it, with the whole schema of its answer. */
const entries = listTools(toolsets);
const TOOLS = entries.map(({ tool, listed, listedInFull }) => {
  const { name, description, inputSchema } = JSON.parse(listed) as Record<string, any>;
  const { outputSchema } = JSON.parse(listedInFull) as { outputSchema: JsonSchema };
  return { tool, name: name as string, description: description as string, input: inputSchema as Shown, outputSchema };
});

const VERBS = new Set(
  (
    'Add Answer Approve Archive Ask Change Check Connect Count Create Delete Deny Deregister Disconnect Edit Export Find Finish Get Give ' +
    'Hand Have Hide Like List Make Mark Move Prove Publish Read Register Remove Rename Replace Reply Revoke Send Show ' +
    'Start Store Submit Take Upload Withdraw'
  ).split(' '),
);

/** What a name says in the list that cannot be written otherwise: the input of a tool, and where its value is shown. */
const SOURCES: Readonly<Record<string, string>> = {
  account_id: 'list_accounts data[].id',
  account_ids: 'list_accounts data[].id',
  phone_number_id: 'list_accounts data[].id',
  brand_id: 'list_brands data[].id',
  brand_ids: 'list_brands data[].id',
  page_id: 'list_account_pages data[].id',
  invite_id: 'list_invites data[].id',
  connection_id: 'exchange_oauth connection_id',
  platform_account_id: 'get_pending_connection profiles[].platform_account_id',
  conversation_id: 'list_conversations data[].id',
  reply_to_message_id: 'list_messages data[].id',
  comment_id: 'list_post_comments data[].id',
  review_id: 'get_reviews data[].id',
  mention_id: 'get_mentions data[].id',
  post_id: 'list_posts data[].id',
  board_id: 'get_constraints accounts.*.board.boards[].board_id',
  media_ids: 'list_media data[].id',
  media_id: 'list_media data[].id',
  webhook_id: 'list_webhooks data[].id',
  delivery_id: 'list_webhook_deliveries data[].id',
  resource_id: 'list_events events[].resource_id',
  export_id: 'list_exports exports[].id',
  session_id: 'create_checkout session_id',
  key_id: 'list_keys data[].id',
  template_id: 'list_whatsapp_templates data[].id',
  action_id: 'list_actions data[].id',
};
/** Given by people: what stands in the settings of their own app or business on the platform. */
const BY_PEOPLE: ReadonlySet<string> = new Set(['app_id', 'client_id', 'waba_id']);

const sentencesOf = (text: string) => text.split(/(?<=[.!?]) (?=[A-Z])/);

/** The names and schemas of inputs at any depth. */
function fieldsOf({ properties = {}, items }: Shown): readonly (readonly [string, Shown])[] {
  const own = Object.entries(properties);
  return [...own, ...own.flatMap(([, field]) => fieldsOf(field)), ...(items ? fieldsOf(items) : [])];
}

/** The schemas at a place of an answer, such as `data[].id` or `accounts.*.id`; there are several where a list is brief or whole. */
function at(schema: JsonSchema, path: readonly string[]): readonly JsonSchema[] {
  const { anyOf = [], properties = {}, items, additionalProperties } = schema as Record<string, any>;
  const here = [schema, ...(anyOf as JsonSchema[])].filter((one) => one !== undefined);
  if (path.length === 0) return here;
  if (anyOf.length > 0) return (anyOf as JsonSchema[]).flatMap((one) => at(one, path));
  const [name, ...rest] = path as [string, ...string[]];
  const inner = { '[]': items, '*': additionalProperties, ...properties }[name];
  return inner === undefined ? [] : at(inner, rest);
}

describe('the tools, as a model reads them', () => {
  it('say first what they do, in at most 160 characters', () => {
    const flaws = TOOLS.flatMap(({ name, description }) => {
      const [first = ''] = sentencesOf(description);
      const isGood = VERBS.has(first.split(' ', 1)[0]!) && first.length <= 160 && /[.]$/.test(first);
      return isGood ? [] : [`${name}: ${first}`];
    });
    expect(flaws).toEqual([]);
  });

  it('say of each input what it is, in at most 240 characters, unless its name does', () => {
    const flaws = TOOLS.flatMap(({ name, input }) =>
      fieldsOf(input)
        .filter(([, { description = '' }]) => description !== '' && !/^[^]{3,239}\.$/.test(description))
        .map(([field, { description }]) => `${name}.${field}: ${description}`),
    );
    expect(flaws).toEqual([]);
  });

  it('take JSON text wherever they are said to', () => {
    const said = TOOLS.flatMap(({ tool, name, input }) =>
      Object.entries(input.properties ?? {})
        .filter(([, { type, description = '' }]) => type === 'string' && /\bJSON\b[^(]*[[{]/.test(description))
        .map(([field, { description = '' }]) => ({ tool, place: `${name}.${field}`, field, description })),
    );
    expect(said.map(({ place }) => place)).toContain('validate_whatsapp_template.components');
    for (const { tool, place, field, description } of said) {
      const value = /JSON[^[]*\{/.test(description)
        ? { bluesky: { langs: ['en'] } }
        : [{ type: 'BODY', text: 'Hello' }];
      const read = coerceInput(inputOf(tool, 'mcp'), { [field]: JSON.stringify(value) }) as Record<string, unknown>;
      expect([place, read[field]]).toEqual([place, value]);
    }
  });

  it('answer every id that one of them takes', () => {
    const ids = new Set(
      TOOLS.flatMap(({ input }) => fieldsOf(input).map(([field]) => field)).filter((field) => /_ids?$/.test(field)),
    );
    expect([...ids].filter((id) => !BY_PEOPLE.has(id)).toSorted()).toEqual(Object.keys(SOURCES).toSorted());
    const missing = Object.entries(SOURCES).filter(([, source]) => {
      const [from, path] = source.split(' ') as [string, string];
      const answer = TOOLS.find(({ name }) => name === from)?.outputSchema;
      const steps = path.replaceAll('[]', '.[]').split('.');
      return answer === undefined || at(answer, steps).length === 0;
    });
    expect(missing).toEqual([]);
  });
});
