import { flag, isOn, maybe, number as numberField, type Act } from '../../kit/acts.ts';
import { orderAct, type Order, type Orders } from '../../kit/api/orders.ts';
import type { ParamWords, Wrong } from '../../kit/api/params.ts';
import { TwinError } from '../../kit/api/errors.ts';
import { newTrace } from '../ids.ts';

type Detail = Readonly<{
  status?: number;
  type?: string;
  subcode?: number;
  is_transient?: boolean;
  title?: string;
  says?: string;
  data?: unknown;
}>;

export class GraphError extends TwinError {
  readonly number: number;
  readonly detail: Detail;

  constructor(number: number, message: string, detail: Detail = {}) {
    super(detail.status ?? 400, `${number}${detail.subcode === undefined ? '' : `/${detail.subcode}`}`, message);
    this.number = number;
    this.detail = detail;
  }

  /** Leaves out members that do not apply, as Graph does. */
  body(): object {
    const { type = 'OAuthException', subcode, is_transient, title, says, data } = this.detail;
    return {
      error: {
        message: this.message,
        type,
        code: this.number,
        ...(data !== undefined && { error_data: data }),
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(is_transient !== undefined && { is_transient }),
        ...(title !== undefined && { error_user_title: title }),
        ...(says !== undefined && { error_user_msg: says }),
        fbtrace_id: newTrace(),
      },
    };
  }

  override headers(): Readonly<Record<string, string>> {
    if (this.number !== 190 && this.number !== 104) return {};
    const message = this.message.replaceAll('"', "'");
    return { 'WWW-Authenticate': `OAuth "Facebook Platform" "invalid_token" "${message}"` };
  }
}

/** Code 100: a parameter is invalid. Graph begins the message with the code. */
export const badParam = (message: string, detail: Detail = {}): GraphError =>
  new GraphError(100, `(#100) ${message}`, detail);

/** Code 100/33: the object is missing or invisible, or does not support the method; Graph never says which. */
export const unknownObject = (id: string, verb = 'get'): GraphError =>
  new GraphError(
    100,
    `${['Unsupported', verb, 'request'].filter(Boolean).join(' ')}. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { type: 'GraphMethodException', subcode: 33 },
  );

const DEAD = {
  458: 'Error validating access token: The user has not authorized application sandbox.',
  460: 'Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.',
  463: 'Error validating access token: Session has expired',
  492: 'Error validating access token: The session is invalid because the person no longer has a role on the Page.',
} as const;

/** Code 190: the token is no longer valid; the subcode says why. */
export const deadToken = (subcode: keyof typeof DEAD): GraphError => new GraphError(190, DEAD[subcode], { subcode });

export const brokenToken = (message = 'Invalid OAuth access token - Cannot parse access token'): GraphError =>
  new GraphError(190, message);

/** Media or content that the platform does not accept, with a message for people. */
export const mediaError = (code: number, subcode: number, title: string, says: string, message = title): GraphError =>
  new GraphError(code, message, { subcode, is_transient: false, title, says });

/** Code 200, status 403: a permission for writing is missing. */
export const mayNotWrite = (scopes: readonly string[]): GraphError =>
  new GraphError(
    200,
    `(#200) This call requires ${scopes.join(' and ')} permission with page token, as an admin with sufficient administrative permission`,
    { status: 403 },
  );

/** Code 10, status 400: a permission for reading is missing. */
export const mayNotRead = (scope: string): GraphError =>
  new GraphError(
    10,
    `(#10) This endpoint requires the '${scope}' permission or the 'Page Public Content Access' feature. Refer to the documentation for details`,
  );

export const needsPageToken = (): GraphError =>
  new GraphError(190, 'User access token is not supported: A page access token is required for this call.', {
    subcode: 2069032,
  });

/** A temporary failure that leaves open whether the call had an effect. */
export const trouble = (status = 500): GraphError =>
  new GraphError(2, 'An unexpected error has occurred. Please retry your request later.', {
    status,
    is_transient: true,
  });

const WRONG: Readonly<Record<Exclude<Wrong, 'missing' | 'not one of'>, string>> = {
  'not a boolean': 'a boolean',
  'not an integer': 'an integer',
  'not a time': 'a valid date or unix timestamp',
  'not JSON': 'valid JSON',
  'not an object': 'a JSON object',
  'not an array': 'an array',
};

/** Graph's errors for parameters that cannot be read. */
export const PARAM_WORDS: ParamWords = Object.freeze({
  wrong(name: string, what: Wrong, detail?: Readonly<{ value: string; words: readonly string[] }>) {
    if (what === 'missing') return badParam(`The parameter ${name} is required`);
    if (what === 'not one of')
      return badParam(`Param ${name} must be one of {${detail?.words.join(', ')}} - got "${detail?.value}"`);
    return badParam(`Param ${name} must be ${WRONG[what]}`);
  },
  tooLong: () => new GraphError(1, 'The request body is too large', { status: 413 }),
  broken: (kind: 'form' | 'json') =>
    kind === 'form'
      ? new GraphError(1, 'An unknown error occurred', { status: 400 })
      : badParam('The request body is not a JSON object'),
});

export type OrderedError = Readonly<{
  status: number;
  code: number;
  subcode?: number | undefined;
  is_transient?: boolean | undefined;
  message: string;
}>;

export const orderedError = ({ status, code, subcode, is_transient, message }: Order<OrderedError>): GraphError =>
  new GraphError(code, message, {
    status,
    ...(subcode !== undefined && { subcode }),
    ...(is_transient !== undefined && { is_transient }),
  });

export const orderErrorAct = (orders: Orders<OrderedError>): Act =>
  orderAct(
    orders,
    {
      code: numberField('Code'),
      subcode: { ...numberField('Subcode'), optional: true },
      is_transient: { ...flag('Transient'), optional: true },
      message: maybe('Message'),
    },
    ({ code, subcode, is_transient, message = 'An ordered error' }, status) => ({
      status,
      code: Number(code),
      message,
      ...(subcode !== undefined && { subcode: Number(subcode) }),
      ...(is_transient !== undefined && { is_transient: isOn(is_transient) }),
    }),
  );
