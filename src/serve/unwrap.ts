import type { z } from 'zod';

/** The schema inside wrappers such as optional, nullable and default. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unwrapped((def as z.core.$ZodOptionalDef).innerType);
    case 'lazy':
      return unwrapped((def as z.core.$ZodLazyDef).getter());
    case 'pipe': {
      const { in: first, out } = def as z.core.$ZodPipeDef;
      return unwrapped(first._zod.def.type === 'transform' ? out : first);
    }
    default:
      return schema;
  }
}
