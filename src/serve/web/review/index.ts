import type { Actions } from '#engine/leash/actions.ts';
import { fail, orRefusalLater, ApiError } from '#kernel/errors.ts';
import type { PathParams, RequestContext, Route } from '#kernel/route.ts';
import type { Filled, Frame } from '../dashboard/frame.ts';
import { sendOn } from '../kit/html-page.ts';
import { bodyOf } from '../kit/operate.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import { drawAction, drawQueue, type ActionView, type ConnectionName, type MessageView } from './view.ts';

const PATH = '/review';
const EDIT = 'edit ';
const SEVERAL = `${PATH}/several`;

/** The pages on which a person decides about what connections ask for. A GET decides nothing. */
export function makeReviewRoutes(frame: Frame, actions: Pick<Actions, 'approve' | 'deny'>): readonly Route[] {
  const { visitors, operate, send, list } = frame;

  async function showQueue(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const [all, connections] = await Promise.all([
      list<ActionView>(ctx, visitor, 'list_actions'),
      list<ConnectionName>(ctx, visitor, 'list_connections'),
    ]);
    const body = drawQueue(all, connections, visitors.field(visitor));
    await send(ctx, visitor, { path: PATH, title: 'Review', body }, filled);
  }

  async function showOne(ctx: RequestContext, visitor: Visitor, parts: PathParams, filled?: Filled): Promise<void> {
    const action = bodyOf<ActionView>(await operate(ctx, visitor, 'get_action', { action_id: parts['id']! }));
    const [connections, accounts] = await Promise.all([
      list<ConnectionName>(ctx, visitor, 'list_connections'),
      list<Readonly<{ id: string; name: string; platform: string }>>(ctx, visitor, 'list_accounts'),
    ]);
    const { conversation_id } = action.input;
    const thread =
      typeof conversation_id === 'string'
        ? await operate(ctx, visitor, 'list_messages', { conversation_id, limit: 5 })
        : undefined;
    const messages = thread?.refusal ? [] : (thread?.body as { data: readonly MessageView[] } | undefined)?.data;
    const body = drawAction({
      action,
      connections,
      accounts,
      messages: messages ?? [],
      field: visitors.field(visitor),
      zone: visitor.caller.workspace.timezone,
      typed: filled && editsIn(filled.fields),
    });
    await send(ctx, visitor, { path: PATH, title: 'May this be done?', body }, filled);
  }

  async function decide(visitor: Visitor, id: string, fields: URLSearchParams): Promise<ApiError | undefined> {
    const note = (fields.get('note') ?? '').trim();
    const decision = { etag: fields.get('etag') ?? '', ...(note !== '' && { note: note.slice(0, 1000) }) };
    const { caller } = visitor;
    const does = {
      approve: () => actions.approve(caller, 'page', id, decision),
      edited: () => actions.approve(caller, 'page', id, { ...decision, edits: editsIn(fields) }),
      deny: () => actions.deny(caller, 'page', id, decision),
    };
    const work = new Map(Object.entries(does)).get(fields.get('decision') ?? '') ?? unknownDecision;
    const outcome = await orRefusalLater<unknown>(work);
    return outcome instanceof ApiError ? outcome : undefined;
  }

  async function decideOne(ctx: RequestContext, visitor: Visitor, parts: PathParams): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const refusal = await decide(visitor, parts['id']!, fields);
    if (refusal) return showOne(ctx, visitor, parts, { refusal, fields });
    sendOn(ctx, `${PATH}/${parts['id']!}`);
  }

  /** Each ticked row carries its etag, so none is decided about that has changed since it was drawn. */
  async function decideSeveral(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const decision = fields.get('decision') ?? '';
    for (const ticked of fields.getAll('action')) {
      const [id = '', etag = ''] = ticked.split(' ');
      const refusal = await decide(visitor, id, new URLSearchParams({ decision, etag }));
      if (refusal) return showQueue(ctx, visitor, { refusal, fields });
    }
    sendOn(ctx, PATH);
  }

  return Object.freeze([
    { path: PATH, GET: visitors.signedIn((ctx, visitor) => showQueue(ctx, visitor)) },
    { path: SEVERAL, GET: (ctx) => sendOn(ctx, PATH), POST: visitors.signedIn(decideSeveral) },
    {
      path: `${PATH}/{id}`,
      GET: visitors.signedIn((ctx, visitor, parts) => showOne(ctx, visitor, parts)),
      POST: visitors.signedIn(decideOne),
    },
  ]);
}

const unknownDecision = (): Promise<never> =>
  Promise.resolve().then(() =>
    fail('validation.field_invalid', { message: 'Choose what is to happen.', meta: { field: 'decision' } }),
  );

/** The texts of a form, by their pointers; browsers send line ends as CRLF. */
function editsIn(fields: URLSearchParams): Readonly<Record<string, string>> {
  const edits = [...fields].filter(([name]) => name.startsWith(EDIT));
  return Object.fromEntries(edits.map(([name, text]) => [name.slice(EDIT.length), text.replaceAll('\r\n', '\n')]));
}
