import type { Toolset } from '#call/tool.ts';
import { type Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';

export function closeToolsets(toolsets: readonly Toolset[], { toolsets: closed, testers }: Config['beta']) {
  const unknown = closed.find((id) => !toolsets.some((set) => set.id === id));
  if (unknown !== undefined) throw new ConfigError(`BETA_TOOLSETS names ${unknown}, which is not a toolset`);
  return toolsets.map((set) =>
    closed.includes(set.id) ? { ...set, tools: set.tools.map((tool) => ({ ...tool, testers })) } : set,
  );
}
