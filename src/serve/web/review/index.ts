import type { TitleOf } from '../kit/titles.ts';
import { ApiError } from '#kernel/errors.ts';
import type { PathParams, RequestContext, Route } from '#kernel/route.ts';
import type { AccountView } from '../dashboard/live/accounts-view.ts';
import type { Filled, Frame } from '../dashboard/frame.ts';
import { sendOn } from '../kit/html-page.ts';
import { bodyOf, listedIn } from '../kit/operate.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import { makeReadAround } from './around.ts';
import { editsIn, makeDecisions } from './decisions.ts';
import { drawAction, drawQueue, type ActionView, type MessageView } from './view.ts';

const PATH = '/review';
const SEVERAL = `${PATH}/several`;

/** The pages on which people decide about requests of connections. A GET never decides. */
export function makeReviewRoutes(frame: Frame, titleOf: TitleOf): readonly Route[] {
  const { visitors, forThose, operate, send, list } = frame;
  const readAround = makeReadAround(operate);
  const { decide, decideEach } = makeDecisions(operate);

  async function showQueue(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const actions = await list<ActionView>(ctx, visitor, 'list_actions');
    const ticked = filled?.fields.getAll('action') ?? [];
    const zone = visitor.caller.workspace.timezone;
    const body = drawQueue({ actions, field: visitors.field(visitor), zone, ticked });
    await send(ctx, visitor, { path: PATH, title: 'Review', body }, filled);
  }

  async function showOne(ctx: RequestContext, visitor: Visitor, parts: PathParams, filled?: Filled): Promise<void> {
    const action = bodyOf<ActionView>(await operate(ctx, visitor, 'get_action', { action_id: parts['id']! }));
    const { conversation_id } = action.input;
    // Leaves out what is refused, for example while a payment is due: the action can still be denied.
    const accounts = listedIn<AccountView>(await operate(ctx, visitor, 'list_accounts'));
    const [connections, around, messages] = await Promise.all([
      list<Readonly<{ id: string; host: string }>>(ctx, visitor, 'list_connections'),
      // The context of a decided action may no longer exist.
      action.state === 'held' ? readAround(ctx, visitor, action, accounts) : undefined,
      typeof conversation_id === 'string'
        ? operate(ctx, visitor, 'list_messages', { conversation_id, limit: 5 }).then(listedIn<MessageView>)
        : [],
    ]);
    const body = drawAction({
      action,
      host: connections.find(({ id }) => id === action.connection_id)?.host,
      accounts: accounts.map((one) => ({ ...one, platform: titleOf(one.platform) ?? one.platform })),
      messages,
      around,
      field: visitors.field(visitor),
      zone: visitor.caller.workspace.timezone,
      typed: filled && { note: filled.fields.get('note') ?? '', edits: editsIn(filled.fields) },
    });
    const title = action.state === 'held' ? 'May this be done?' : 'What was asked';
    await send(ctx, visitor, { path: PATH, title, body }, filled);
  }

  async function decideOne(ctx: RequestContext, visitor: Visitor, parts: PathParams): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const refusal = await decide(ctx, visitor, parts['id']!, fields);
    if (refusal) return showOne(ctx, visitor, parts, { refusal, fields });
    sendOn(ctx, `${PATH}/${parts['id']!}`);
  }

  /** Each ticked row sends its etag, so that no decision applies to a row that has changed since. */
  async function decideSeveral(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const decision = fields.get('decision') ?? '';
    const chosen = fields.getAll('action');
    if (chosen.length === 0) return showQueue(ctx, visitor, { refusal: nothingChosen(), fields });
    const refused = await decideEach(ctx, visitor, decision, chosen);
    if (refused === undefined) return sendOn(ctx, PATH);
    const undecided = new URLSearchParams(refused.ticked.map((one): [string, string] => ['action', one]));
    await showQueue(ctx, visitor, { refusal: refused.refusal, fields: undecided });
  }

  const toDeciders = (handle: Parameters<typeof forThose>[1]) => forThose('approve_action', handle);

  return Object.freeze([
    { path: PATH, GET: toDeciders((ctx, visitor) => showQueue(ctx, visitor)) },
    { path: SEVERAL, GET: (ctx) => sendOn(ctx, PATH), POST: toDeciders(decideSeveral) },
    {
      path: `${PATH}/{id}`,
      GET: toDeciders((ctx, visitor, parts) => showOne(ctx, visitor, parts)),
      POST: toDeciders(decideOne),
    },
  ]);
}

const nothingChosen = (): ApiError =>
  new ApiError('validation.field_required', { message: 'Choose at least one.', meta: { field: 'action' } });
