import { DAY } from '#kernel/clock.ts';
import { isoDay, sumOf, type Day } from '../kit/days.ts';
import { makeCalls, type Call } from './calls.ts';
import type { Pin } from './docs.ts';
import { noPin, WORDS } from './errors.ts';
import type { Pins, World } from './world.ts';

const MOST_DAYS = 90;
const MOST_PINS = 100;
const STANDARD = `IMPRESSION OUTBOUND_CLICK PIN_CLICK SAVE SAVE_RATE TOTAL_COMMENTS TOTAL_REACTIONS USER_FOLLOW
  PROFILE_VISIT`.split(/\s+/);
const VIDEO = `VIDEO_MRC_VIEW VIDEO_10S_VIEW QUARTILE_95_PERCENT_VIEW VIDEO_V50_WATCH_TIME VIDEO_START
  VIDEO_AVG_WATCH_TIME`.split(/\s+/);
const ACCOUNT = `ENGAGEMENT ENGAGEMENT_RATE IMPRESSION OUTBOUND_CLICK OUTBOUND_CLICK_RATE PIN_CLICK PIN_CLICK_RATE SAVE
  SAVE_RATE`.split(/\s+/);
/** Metrics of a pin's whole life only. */
const LIFETIME: ReadonlySet<string> = new Set(['TOTAL_COMMENTS', 'TOTAL_REACTIONS']);

export function analyticsRoutes(world: World, pins: Pins) {
  const { docs, settings, options } = world;
  const { clock } = options;
  const call = makeCalls(world);

  function daysOf({ params }: Call): readonly string[] {
    const [start, end] = ['start_date', 'end_date'].map((name) => {
      const value = params.required(name);
      if (!/^\d{4}-\d\d-\d\d$/.test(value) || Number.isNaN(Date.parse(value)))
        throw WORDS.invalid(`${name} must be a date like YYYY-MM-DD.`);
      return Date.parse(value);
    }) as [number, number];
    const today = Date.parse(isoDay(clock.now()));
    if (start < today - MOST_DAYS * DAY || end < start || end > start + MOST_DAYS * DAY || end > today)
      throw WORDS.invalid('The dates cannot be more than 90 days back, nor in the future.');
    return Array.from({ length: (end - start) / DAY + 1 }, (_, at) => isoDay(start + at * DAY));
  }
  function metricsOf({ params }: Call, known: readonly string[], isNeeded: boolean): readonly string[] {
    const given = isNeeded ? params.required('metric_types') : params.text('metric_types');
    const wanted = (given ?? 'ALL').split(',');
    if (wanted.includes('ALL')) return known;
    const strange = wanted.filter((name) => !known.includes(name));
    if (strange.length > 0) throw WORDS.invalid(`metric_types: ${strange.join(', ').slice(0, 200)} is not supported.`);
    return wanted;
  }
  const add = (days: readonly Day[], name: string): number => {
    const sum = (one: string) => sumOf(days, one);
    if (name === 'ENGAGEMENT') return sum('PIN_CLICK') + sum('SAVE') + sum('OUTBOUND_CLICK');
    const whole = name.endsWith('_RATE') ? sum('IMPRESSION') : 1;
    if (name === 'ENGAGEMENT_RATE') return whole === 0 ? 0 : add(days, 'ENGAGEMENT') / whole;
    return whole === 0 ? 0 : sum(name.replace(/_RATE$/, '')) / whole;
  };
  const valuesOf = (days: readonly Day[], names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, add(days, name)]));
  /** A day's numbers are ready some days later. */
  function statusOf(day: string, since: string): string {
    if (day < since) return 'BEFORE_PIN_CREATED';
    return Date.parse(day) > clock.now() - (settings.get('counting_days') + 1) * DAY ? 'PROCESSING' : 'READY';
  }
  function report(days: readonly string[], names: readonly string[], counted: readonly Day[], since = '') {
    const daily = names.filter((name) => !LIFETIME.has(name));
    return {
      daily_metrics: days.map((day) => {
        const data_status = statusOf(day, since);
        const own = counted.filter((one) => one.day === day);
        return { date: day, data_status, metrics: data_status === 'READY' ? valuesOf(own, daily) : {} };
      }),
      summary_metrics: valuesOf(
        counted.filter(({ day }) => days.includes(day)),
        daily,
      ),
    };
  }
  function ofPin(one: Call, pin: Pin) {
    const names = metricsOf(one, pin.video === undefined ? STANDARD : [...STANDARD, ...VIDEO], true);
    const counted = docs.list('day', { parent: pin.id });
    const lifetime = {
      TOTAL_COMMENTS: pin.comments.length,
      TOTAL_REACTIONS: add(counted, 'TOTAL_REACTIONS'),
    };
    const wanted = Object.entries(lifetime).filter(([name]) => names.includes(name));
    const since = isoDay(pin.at);
    return { all: { ...report(daysOf(one), names, counted, since), lifetime_metrics: Object.fromEntries(wanted) } };
  }
  const own = ({ caller }: Call, id: string): Pin => {
    const found = pins.pin(id);
    if (found?.page_id !== caller.person) throw noPin();
    return found;
  };

  return [
    call('GET', '/pins/analytics', 'boards:read pins:read', (one) => {
      const given = one.ctx.URL.searchParams.getAll('pin_ids').flatMap((ids) => ids.split(','));
      if (given.length === 0 || given.length > MOST_PINS) throw WORDS.invalid(`pin_ids must be 1 to ${MOST_PINS} ids.`);
      return Object.fromEntries(given.map((id) => [id, ofPin(one, own(one, id))]));
    }),
    call('GET', '/pins/{id}/analytics', 'boards:read pins:read', (one) => ofPin(one, own(one, one.path['id'] ?? ''))),
    call('GET', '/user_account/analytics', 'user_accounts:read', (one) => {
      const names = metricsOf(one, ACCOUNT, false);
      return { all: report(daysOf(one), names, docs.list('day', { page: one.caller.person })) };
    }),
  ];
}
