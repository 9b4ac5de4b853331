// The phases of a step: one word and one colour each, in bars and charts alike.

export const PHASES: Record<string, { word: string; colour: string }> = {
  free_motion: { word: "free motion", colour: "#3f83d1" },
  collision: { word: "collision", colour: "#e26d4f" },
  cavities: { word: "cavities", colour: "#2fa3c2" },
  compliance: { word: "compliance", colour: "#e0a030" },
  solve: { word: "solve", colour: "#8b68cc" },
  other: { word: "other", colour: "#a9b0b8" },
};
