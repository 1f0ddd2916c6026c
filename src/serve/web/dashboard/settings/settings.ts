import type { Signin } from '#engine/signin/index.ts';
import type { Config } from '#kernel/config/config.ts';
import { ApiError } from '#kernel/errors.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { BrandView } from '../../kit/leash-form.ts';
import { listedIn } from '../../kit/operate.ts';
import type { Trail } from '../../kit/trail.ts';
import { keepTheme, themeOf, THEMES } from '../../kit/theme.ts';
import { isName, LONGEST_NAME } from '../../kit/person-name.ts';
import { personOf, type Visitor } from '../../sign-in/visitors.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { SETTINGS as PATH } from './settings-path.ts';
import { makeDeletingRoutes } from './deleting.ts';
import { drawSettings } from './settings-view.ts';

export type DevicesAccess = Pick<Signin, 'devices' | 'endDevice' | 'endOtherDevices' | 'rename'>;

/** The settings page: those of the person, of this browser and of the workspace. */
export function makeSettingsRoutes(
  frame: Frame,
  signin: DevicesAccess,
  trail: Trail,
  { rootUrl }: Pick<Config, 'rootUrl'>,
): readonly Route[] {
  const { visitors, operate, send, may } = frame;

  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const [devices, brands] = await Promise.all([
      signin.devices(visitor),
      operate(ctx, visitor, 'list_brands').then(listedIn<BrandView>),
    ]);
    const body = drawSettings({
      field: visitors.field(visitor),
      name: filled?.fields.get('name') ?? visitor.caller.name,
      email: visitor.email,
      role: visitor.role,
      may: (operation) => may(visitor, operation),
      timezone: visitor.caller.workspace.timezone,
      theme: themeOf(ctx),
      devices,
      brands,
      wrongName: isAbout(filled, 'name'),
    });
    await send(ctx, visitor, { path: PATH, title: 'Settings', body }, filled);
  }

  async function rename(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const name = fields.get('name')?.trim() ?? '';
    if (!isName(name)) {
      const message = `Your name: 1 to ${LONGEST_NAME} characters.`;
      const refusal = new ApiError('validation.field_invalid', { message, meta: { field: 'name' } });
      return show(ctx, visitor, { refusal, fields });
    }
    await signin.rename(visitor, name);
    sendOn(ctx, PATH);
  }

  async function chooseTheme(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    keepTheme(ctx, THEMES.find((one) => one === fields.get('theme')) ?? 'system', rootUrl);
    sendOn(ctx, PATH);
  }

  /** The handler of a form that ends sessions and returns to the settings. */
  const ending = (end: (visitor: Visitor, fields: URLSearchParams) => Promise<void>) =>
    visitors.signedIn(async (ctx, visitor) => {
      await end(visitor, await visitors.read(ctx, visitor));
      await trail.note(ctx, { tool: 'end_sessions', person: personOf(visitor) });
      sendOn(ctx, PATH);
    });

  const back = (ctx: RequestContext) => sendOn(ctx, PATH);
  return Object.freeze([
    { path: PATH, GET: visitors.signedIn((ctx, visitor) => show(ctx, visitor)) },
    { path: `${PATH}/name`, GET: back, POST: visitors.signedIn(rename) },
    { path: `${PATH}/theme`, GET: back, POST: visitors.signedIn(chooseTheme) },
    {
      path: `${PATH}/devices/end`,
      GET: back,
      POST: ending((visitor, fields) => signin.endDevice(visitor, fields.get('device') ?? '')),
    },
    { path: `${PATH}/devices/end-others`, GET: back, POST: ending((visitor) => signin.endOtherDevices(visitor)) },
    ...makeDeletingRoutes(frame),
  ]);
}
