// The labs: a row each. A lab is a component that takes the parameters of the page's address.
import type { Component } from 'svelte';
import Chips from './chips/Chips.svelte';
import Lanes from './lanes/Lanes.svelte';
import Latency from './latency/Latency.svelte';
import Learn from './learn/Learn.svelte';
import Memory from './memory/Memory.svelte';
import Occupancy from './occupancy/Occupancy.svelte';
import Roofline from './roofline/Roofline.svelte';

export interface Lab {
  /** Its name in the address. */
  id: string;
  title: string;
  component: Component<{ params: URLSearchParams }>;
}

export const labs: readonly [Lab, ...Lab[]] = [
  { id: 'lanes', title: 'Lanes', component: Lanes },
  { id: 'latency', title: 'Latency', component: Latency },
  { id: 'occupancy', title: 'Occupancy', component: Occupancy },
  { id: 'memory', title: 'Memory', component: Memory },
  { id: 'roofline', title: 'Roofline', component: Roofline },
  { id: 'chips', title: 'Chips', component: Chips },
  { id: 'learn', title: 'Learn', component: Learn },
];
