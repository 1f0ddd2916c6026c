import { isAbout, type Filled, type Frame } from '../frame.ts';
import { drawField } from '../../kit/form-fields.ts';
import { html } from '#kernel/text/html.ts';
import { bodyOf } from '../../kit/operate.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import { SETTINGS } from './settings-path.ts';

const PATH = '/dashboard/timezone';

export function makeTimezoneRoutes({ visitors, operate, send, forThose }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const { timezone } = bodyOf<{ timezone: string }>(await operate(ctx, visitor, 'get_me'));
    const body = html`<p>
        Programs that send a time without an offset, such as <code>2026-01-31T09:00:00</code>, mean the time in this
        timezone. Posts that are scheduled already keep their time.
      </p>
      <form method="post" action="${PATH}">
        ${visitors.field(visitor)}
        ${drawField({
          name: 'timezone',
          label: 'Timezone',
          hint: 'A name of the IANA database, such as Europe/Berlin or UTC.',
          maxlength: 64,
          value: filled?.fields.get('timezone') ?? timezone,
          verbatim: true,
          wrong: isAbout(filled, 'timezone'),
        })}
        <div class="actions"><button class="primary">Save</button></div>
      </form>`;
    await send(ctx, visitor, { path: SETTINGS, title: 'Timezone', body }, filled);
  }

  async function save(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const { refusal } = await operate(ctx, visitor, 'patch_me', { timezone: fields.get('timezone')?.trim() ?? '' });
    if (refusal) await show(ctx, visitor, { refusal, fields });
    else sendOn(ctx, fields.get('back') === 'today' ? '/dashboard' : PATH);
  }

  return Object.freeze([
    { path: PATH, GET: forThose('patch_me', (ctx, visitor) => show(ctx, visitor)), POST: forThose('patch_me', save) },
  ]);
}
