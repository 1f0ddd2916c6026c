import type { SettingName } from './names.ts';
import type { Parse } from './values.ts';

/** An invalid setting; the message is the only line that is shown when the start fails. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Env = Readonly<Record<string, string | undefined>>;

export function wrong(name: string, why: string): never {
  throw new ConfigError(`${name} ${why}`);
}

/** The value of a setting; an empty value counts as not set. */
export function textOf(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

export function parsed<T>(name: string, value: string, parse: Parse<T>): T {
  return parse(value, (why) => wrong(name, why));
}

export function reader(env: Env) {
  const text = (name: SettingName) => textOf(env, name);
  return {
    text,
    optional<T>(name: SettingName, parse: Parse<T>): T | undefined {
      const value = text(name);
      return value === undefined ? undefined : parsed(name, value, parse);
    },
    required: <T>(name: SettingName, parse: Parse<T>, otherwise: string): T =>
      parsed(name, text(name) ?? otherwise, parse),
    /** Reads settings that must be set together; undefined if none of them is set, nor any of `besides`. */
    allOrNone(names: readonly SettingName[], besides: readonly SettingName[] = []): readonly string[] | undefined {
      const given = [...names, ...besides].find((name) => text(name) !== undefined);
      return given === undefined
        ? undefined
        : names.map((name) => text(name) ?? wrong(name, `is required together with ${given}`));
    },
  };
}

export type Values = ReturnType<typeof reader>;
