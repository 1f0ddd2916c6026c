import { ApiError } from '#kernel/errors.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { CLOCK_TIME, WEEKDAYS, type WeeklyTime } from '#kernel/text/local-time.ts';
import { drawCheckbox, drawField, drawSelect } from '../../kit/form-fields.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { BrandView } from '../../kit/leash-form.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { SETTINGS } from './settings-path.ts';

type TimesView = Readonly<{ timezone: string; inherited: boolean; times: readonly WeeklyTime[] }>;

const PATH = '/dashboard/posting-times';
const DAY_NAMES: Readonly<Record<WeeklyTime['day'], string>> = Object.freeze({
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
});

/** The page that sets the weekly times to publish at, of the workspace or of a brand. */
export function makePostingTimesRoutes({ visitors, operate, send, list, may, forThose }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const brand = (filled?.fields ?? new URLSearchParams(ctx.querystring)).get('brand') ?? '';
    const [view, brands] = await Promise.all([
      operate(ctx, visitor, 'get_posting_times', brandInput(brand)).then(bodyOf<TimesView>),
      list<BrandView>(ctx, visitor, 'list_brands'),
    ]);
    const body = html`<p>
        The times of the week at which you usually publish. <strong>Next free time</strong> under New post takes the
        next one at which the chosen accounts have no post. Accounts of several brands use the times of the workspace.
        Posts that are scheduled already keep their time.
      </p>
      <p>
        Timezone: ${view.timezone}.
        ${may(visitor, 'patch_me') && html`<a href="/dashboard/timezone">Change the timezone</a>`}
      </p>
      ${(brands.length > 1 || brand !== '') && drawOwner(brands, brand)}
      ${
        may(visitor, 'set_posting_times')
          ? html`<form ${attributes({ method: 'post', action: PATH })}>
              ${visitors.field(visitor)}
              <input ${attributes({ type: 'hidden', name: 'brand', value: brand })} />
              <input ${attributes({ type: 'hidden', name: 'shown', value: ownTimes(view).map(valueOf).join() })} />
              ${drawTimes(view, brand !== '', filled)} ${drawNew(filled)}
              <div class="actions"><button class="primary">Save</button></div>
            </form>`
          : drawList(view.times)
      }`;
    await send(ctx, visitor, { path: SETTINGS, title: 'Posting times', body }, filled);
  }

  async function save(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const brand = fields.get('brand') ?? '';
    const refusal = newTimeRefusal(fields) ?? (await replace(ctx, visitor, fields, brandInput(brand)));
    if (refusal) await show(ctx, visitor, { refusal, fields });
    else sendOn(ctx, brand === '' ? PATH : `${PATH}?brand=${encodeURIComponent(brand)}`);
  }

  async function replace(ctx: RequestContext, visitor: Visitor, fields: URLSearchParams, owner: object) {
    const now = await operate(ctx, visitor, 'get_posting_times', { ...owner });
    if (now.refusal) return now.refusal;
    const days = fields.getAll('day').map((day) => `${day} ${timeIn(fields)}`);
    const times = [...new Set([...changed(fields, ownTimes(bodyOf<TimesView>(now))), ...days])].map(timeOf);
    return (await operate(ctx, visitor, 'set_posting_times', { ...owner, times })).refusal;
  }

  return Object.freeze([
    {
      path: PATH,
      GET: visitors.signedIn((ctx, visitor) => show(ctx, visitor)),
      POST: forThose('set_posting_times', save),
    },
  ]);
}

/** The times of the workspace or the brand itself, which the form can change. */
const ownTimes = ({ inherited, times }: TimesView): readonly WeeklyTime[] => (inherited ? [] : times);

const brandInput = (brand: string) => (brand === '' ? {} : { brand_id: brand });

function drawOwner(brands: readonly BrandView[], brand: string): Html {
  return html`<form ${attributes({ method: 'get', class: 'fields' })}>
    ${drawSelect({
      name: 'brand',
      label: 'Times of',
      any: 'the workspace',
      choices: brands.map(({ id, name }) => [id, name] as const),
      value: brand,
    })}
    <button>Show</button>
  </form>`;
}

type DaysAt = readonly (readonly [time: string, all: readonly WeeklyTime[]])[];

/** Times with their days, sorted by the time of the day. */
const byTimeOf = (times: readonly WeeklyTime[]): DaysAt =>
  [...Map.groupBy(times, ({ time }) => time)].toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Times that are only read. */
function drawList(times: readonly WeeklyTime[]): Html {
  if (times.length === 0) return html`<p class="quiet">There are no posting times yet.</p>`;
  const daysOf = (all: readonly WeeklyTime[]) => all.map(({ day }) => DAY_NAMES[day]).join(', ');
  return html`<ul class="rows">
    ${byTimeOf(times).map(([time, all]) => html`<li><strong>${time}</strong> ${daysOf(all)}</li>`)}
  </ul>`;
}

/** A group of days for each time of the day, ticked as the times are stored or as a refused form changes them. */
function drawTimes(view: TimesView, isBrand: boolean, filled: Filled | undefined): Html {
  const { inherited, times } = view;
  const own = ownTimes(view);
  const ticked = new Set(filled === undefined ? own.map(valueOf) : changed(filled.fields, own));
  const sorted = byTimeOf([...times, ...[...ticked].map(timeOf)]);
  if (sorted.length === 0) return html`<p class="quiet">There are no posting times yet. Add the first one.</p>`;
  if (inherited && ticked.size === 0) {
    return html`<p>This brand uses the times of the workspace. As soon as it has one of its own, only its own count.</p>
      ${drawList(times)}`;
  }
  return html`${sorted.map(
      ([time]) =>
        html`<fieldset>
          <legend>${time}</legend>
          <div class="fields">
            ${WEEKDAYS.map((day) => drawDay('at', valueOf({ day, time }), day, ticked.has(valueOf({ day, time }))))}
          </div>
        </fieldset>`,
    )}
    <p class="hint">
      A time without a day is removed.${isBrand && ' Without any, the brand uses the times of the workspace.'}
    </p>`;
}

function drawNew(filled: Filled | undefined): Html {
  const days = filled?.fields.getAll('day') ?? [];
  return html`<fieldset>
    <legend>New time</legend>
    ${drawField({
      name: 'time',
      label: 'Time',
      type: 'time',
      required: false,
      value: filled?.fields.get('time') ?? undefined,
      wrong: isAbout(filled, 'time'),
    })}
    <div class="fields">${WEEKDAYS.map((day) => drawDay('day', day, day, days.includes(day)))}</div>
  </fieldset>`;
}

const drawDay = (name: string, value: string, day: WeeklyTime['day'], checked: boolean): Html =>
  drawCheckbox(name, value, DAY_NAMES[day], '', checked);

const valueOf = ({ day, time }: WeeklyTime): string => `${day} ${time}`;

const timeOf = (value: string): WeeklyTime => {
  const [day, time = ''] = value.split(' ');
  return { day: day as WeeklyTime['day'], time };
};

/** The stored times with what the person ticked and unticked; what others changed meanwhile stays. */
function changed(fields: URLSearchParams, stored: readonly WeeklyTime[]): readonly string[] {
  const shown = (fields.get('shown') ?? '').split(',');
  const ticked = fields.getAll('at');
  const removed = new Set(shown.filter((one) => !ticked.includes(one)));
  const added = ticked.filter((one) => !shown.includes(one));
  return [...stored.map(valueOf).filter((one) => !removed.has(one)), ...added];
}

/** The new time; browsers without a field for times send "9:00" as it was typed. */
const timeIn = (fields: URLSearchParams): string => (fields.get('time') ?? '').trim().replace(/^\d:/, '0$&');

/** The refusal of a new time that lacks its days or is none, or of days that lack their time. */
function newTimeRefusal(fields: URLSearchParams): ApiError | undefined {
  const time = timeIn(fields);
  if (time === '' && !fields.has('day')) return undefined;
  const refuse = (message: string) => new ApiError('validation.field_invalid', { message, meta: { field: 'time' } });
  if (time === '') return refuse('Enter a time for the chosen days.');
  if (!CLOCK_TIME.test(time)) return refuse('Enter a time such as 09:00, from 00:00 to 23:59.');
  return fields.has('day') ? undefined : refuse('Choose at least one day for the new time.');
}
