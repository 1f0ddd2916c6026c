import * as z from 'zod';
import type { OutgoingPost } from '../posts.ts';
import type { Add } from '../shared/fits.ts';
import { platformOptions } from '../shared/options.ts';

const ACTIONS = ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL'] as const;
const LONGEST_URL = 2000;

const url = z.url({ protocol: /^https?$/ }).max(LONGEST_URL);
const date = z.iso.date();
const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM');

const { optionsOf, checking } = platformOptions(
  'google',
  z.object({
    topic_type: z
      .enum(['STANDARD', 'EVENT', 'OFFER'])
      .optional()
      .describe('By default OFFER or EVENT if one is given, else STANDARD.'),
    language_code: z.string().min(2).max(35).optional(),
    call_to_action: z
      .object({ action_type: z.enum(ACTIONS), url: url.optional() })
      .optional()
      .describe('The button below the post; CALL dials the number of the location.'),
    event: z
      .object({
        title: z.string().trim().min(1).optional(),
        start_date: date,
        start_time: time.optional(),
        end_date: date,
        end_time: time.optional(),
      })
      .optional()
      .describe('When the event takes place or the offer is valid, in the location’s time.'),
    offer: z
      .object({
        coupon_code: z.string().min(1).max(58).optional(),
        redeem_online_url: url.optional(),
        terms_conditions: z.string().min(1).max(5000).optional(),
      })
      .optional(),
  }),
);

type Options = ReturnType<typeof optionsOf>;
type Event = NonNullable<Options['event']>;

export const LONGEST_TITLE = 58;

function topicOf({ topic_type, event, offer }: Options): 'STANDARD' | 'EVENT' | 'OFFER' {
  if (topic_type !== undefined) return topic_type;
  if (offer) return 'OFFER';
  return event ? 'EVENT' : 'STANDARD';
}

function checkTopic(options: Options, post: OutgoingPost, { add, option }: Readonly<{ add: Add; option: Add }>): void {
  const { event, offer } = options;
  const topic = topicOf(options);
  if (topic === 'STANDARD') {
    if (event || offer)
      option(event ? 'event' : 'offer', 'A standard post has neither event nor offer: leave out topic_type.');
    return;
  }
  const what = topic === 'EVENT' ? 'An event' : 'An offer';
  if (topic === 'EVENT' && offer) option('offer', 'An event has no offer: use topic_type OFFER.');
  else if (!event) option('event', `${what} needs an event with start_date and end_date.`);
  if ((event?.title ?? post.title ?? '') === '') add('title', `${what} needs a title, here or as event.title.`);
}

/** Makes a check of options and their combinations; `more` adds further checks. */
export const checkWith = (more: (post: OutgoingPost, add: Add) => void) =>
  checking((post, { add, option }) => {
    const options = optionsOf(post);
    const { call_to_action: action, event } = options;
    const topic = topicOf(options);
    checkTopic(options, post, { add, option });
    if (event?.title !== undefined && event.title.length > LONGEST_TITLE)
      option('event.title', `Google accepts titles of at most ${LONGEST_TITLE} characters.`);
    if (event && endOf(event) < startOf(event)) option('event.end_date', 'It ends before it starts.');
    if (action && topic === 'OFFER')
      option('call_to_action', 'Google shows no button at an offer: use offer.redeem_online_url.');
    if (action && action.action_type !== 'CALL' && action.url === undefined)
      option('call_to_action.url', `The button ${action.action_type} needs a url.`);
    more(post, add);
  });

const startOf = ({ start_date, start_time = '00:00' }: Event) => `${start_date} ${start_time}`;
const endOf = ({ end_date, end_time = '23:59' }: Event) => `${end_date} ${end_time}`;

function dateOf(iso: string) {
  const [year, month, day] = iso.split('-').map(Number);
  return { year, month, day };
}

function timeOf(clock: string | undefined) {
  const [hours, minutes] = (clock ?? '').split(':').map(Number);
  return clock === undefined ? undefined : { hours, minutes, seconds: 0, nanos: 0 };
}

/** The fields of a local post, except its photo. */
export function fieldsOf(post: OutgoingPost) {
  const options = optionsOf(post);
  const { language_code, call_to_action: action, event, offer } = options;
  const topicType = topicOf(options);
  return {
    topicType,
    summary: post.text === '' ? undefined : post.text,
    languageCode: language_code,
    // Google calls the phone number that it has on file.
    callToAction: action && {
      actionType: action.action_type,
      url: action.action_type === 'CALL' ? undefined : action.url,
    },
    event: event && {
      title: event.title ?? post.title,
      schedule: {
        startDate: dateOf(event.start_date),
        startTime: timeOf(event.start_time),
        endDate: dateOf(event.end_date),
        endTime: timeOf(event.end_time),
      },
    },
    offer:
      topicType === 'OFFER'
        ? {
            couponCode: offer?.coupon_code,
            redeemOnlineUrl: offer?.redeem_online_url,
            termsConditions: offer?.terms_conditions,
          }
        : undefined,
  };
}
