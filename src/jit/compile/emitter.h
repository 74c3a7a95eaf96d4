// Owns the translation of a Unit into LLVM IR. The registers of a wave become SSA values of classes (state.h); what the
// uops do to them, the files beside this one say: registers.cpp, affine.cpp, vector.cpp, staging.cpp, scalar.cpp,
// memory.cpp, flow.cpp. A uop that none of them knows is called: its handler works on the Wave, where all that is dirty
// was written.
//
// The Wave in memory is complete at checkpoints only: at the entry, around calls, and before a store that may overwrite
// what was read. A guard that fails leaves for the interpreter at the last checkpoint; so does a fault.
#pragma once
#include "engine/compiled.h"
#include "isa/flow.h"
#include "isa/op.h"
#include "jit/compile/bodies.h"
#include "jit/compile/row_order.h"
#include "jit/compile/state.h"
#include "jit/request.h"
#include <deque>
#include <llvm/ADT/BitVector.h>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <span>

namespace crosslane::jit {

using engine::Back;

class Emitter {
public:
  Emitter(const Request&, llvm::Module&, Bodies&, Compiled&);
  llvm::Function* run(); // null: Compiled::error says why

private:
  using Builder = llvm::IRBuilder<llvm::InstSimplifyFolder>;
  using Unit = engine::Unit;
  using Uop = engine::Uop;

  // ---- analysis.cpp: before any code
  void number_registers();
  void find_live();
  void find_in_exec();
  bool find_beyond();
  void find_classes();
  State initial(bool full) const;
  uint32_t scalar_slot(uint32_t n) const { return n; }
  uint32_t live_scc() const { return scalar_count; }
  uint32_t live_lane(uint32_t index) const { return scalar_count + 1 + index; }
  void forget_dead(State&, const llvm::BitVector& live) const;
  bool is_unread(uint32_t slot) const; // nobody reads what the instruction at hand writes there

  // ---- loops.cpp
  void find_loops(std::span<const uint32_t> starts, const std::vector<std::vector<uint32_t>>& next);
  void leave_out_all_but_loops(const std::vector<std::vector<uint32_t>>& next_block,
                               const std::vector<std::vector<uint32_t>>& next);
  bool closes_loop(uint32_t from, uint32_t to) const; // targets
  void find_meetings(const std::vector<std::vector<uint32_t>>& next);

  // ---- emitter.cpp: blocks
  // A block has up to two versions, by what is known of EXEC at its begin: full, or not; and before both there may be a
  // `meeting`, where all edges to the block come together, and EXEC is asked for. These are targets, three of a block.
  static uint32_t version(uint32_t block, bool full_exec) { return 3 * block + full_exec; }
  static uint32_t meeting(uint32_t block) { return 3 * block + 2; }
  static uint32_t block_of(uint32_t target) { return target / 3; }
  static bool is_meeting(uint32_t target) { return target % 3 == 2; }
  bool is_cold(uint32_t target) const;
  struct Edge {
    uint32_t to;    // target
    bool by_memory; // behind a barrier
    State state;
    llvm::BasicBlock* from = nullptr;
    uint32_t waiting_cost = 0; // of an iteration, where a loop waits for another wave
  };
  struct Target {
    llvm::BasicBlock* head = nullptr;
    State state; // with phis where several edges meet,
    State phis;  // and these, as long as edges come
    uint32_t predecessors = 0;
    bool resumed = false;         // from a frame,
    bool entered = false;         // from memory,
    uint32_t entry = 0;           // by that number;
    bool loops = false;           // from the interpreter as well
    bool in_reading_loop = false; // which stores nothing
    uint32_t loop_entry = 0;
    bool classified = false;
  };
  void emit_function();
  void emit_block(uint32_t target, std::vector<Edge>& edges);
  // What is asked of EXEC on the way to a block: where it is known not to be full, but for what restores it, whether it
  // is empty alone.
  enum class Asks : uint8_t { nothing, empty, full };
  void go(State, uint32_t block, llvm::BasicBlock* from, Asks, std::vector<Edge>& edges);
  bool is_around_the_rest(uint32_t block) const;
  void choose_version(State, uint32_t block, llvm::BasicBlock* from, Asks, std::vector<Edge>& edges);
  void settle_count(), emit_end();
  void emit_barrier(uint32_t next, std::vector<Edge>& edges);
  void emit_branch(uint32_t block, std::vector<Edge>& edges);
  void emit_instruction(uint32_t i);
  void cache_control();
  bool set_priority(uint32_t);
  bool emit_uop(const engine::UnitUop&);

  // ---- calls.cpp
  bool is_shared(uint32_t target) const { return shared_.test(block_of(target)); }
  void find_shared();
  State state_in_wave(uint32_t target);
  void connect_shared(uint32_t target);
  void enter_shared(uint32_t target);
  void emit_jump(uint32_t block, std::vector<Edge>& edges);

  // ---- joins.cpp: where edges meet
  void connect(Edge&, bool back);
  void make_phis(uint32_t target);
  Value* anything(char kind);
  void remove_anything();
  void enter(uint32_t target);
  Lane affine_in_wave(Lane, uint32_t index);
  void expect_classes(uint32_t target);
  std::optional<Lane> expect_class(Lane, uint32_t index, Value* mask, bool from_mask);
  void convert_to(const State& wanted);
  void add_incoming(Target&);
  void join_masks(State&);
  void join_reads(State&);
  void remove_trivial_phis();
  void share_conversions(); // conversions.cpp

  // ---- range.cpp
  llvm::BasicBlock* begin_ranges(llvm::BasicBlock* start);
  void emit_range_next(llvm::BasicBlock* go_on);
  Value* find_frame();
  void renew_deadline();
  State initial_alone(bool full);
  State initial_in_range(bool full);
  void begin_in_range();
  void launch_with(State&, Value* lanes);
  void leave_range();
  void end_in_range();

  // ---- frame.cpp
  // What a frame has of a checkpoint.
  struct Kept {
    uint32_t number; // Frame::at
    uint64_t back;   // how a wave of its own goes on
    State state;     // classes, and values that need no place
    llvm::BitVector live;
  };
  std::vector<uint32_t> places_of(const State&);
  Value* frame_at_hand();
  Value* in(Value* frame, uint64_t offset);
  void put(Value*, Value* frame, uint32_t place, char kind);
  Value* take(Value* frame, uint32_t place, char kind);
  void save(Value* frame, const State&, const std::vector<uint32_t>& places, uint32_t number);
  State in_frame(State, Value* frame);
  void keep_in_frame(uint32_t pc, const llvm::BitVector& live, bool behind);
  void wait_in_frame(uint32_t to, uint32_t next);
  void resume(uint32_t target);
  void emit_take_out();
  template <class F, class G> void in_range_or(F in_range, G apart);
  void checkpoint(uint32_t pc);
  void checkpoint_behind();
  bool goes_to_barrier() const { return goes_to_barrier(block_, at_ + 1); }
  bool goes_to_barrier(const engine::UnitBlock*, uint32_t instruction) const;
  Value* in_range(size_t offset);
  Value* load_range(llvm::Type*, size_t offset);

  // ---- report.cpp
  void note_block(uint32_t target);
  void note_instruction();
  void note_how(ReportStep::How how) {
    if (note_)
      report_->blocks.back().steps.back().how = how;
  }
  void note_written();
  RegisterClass class_of(uint32_t index) const;
  RegisterClass class_of_mask(uint32_t pair) const;
  void begin_locations();
  void end_locations();

  // ---- flow.cpp
  void flush(const llvm::BitVector* live = nullptr); // dirty registers to the Wave
  void checkpoint_apart(uint32_t pc, const llvm::BitVector& live);
  void complete_behind();
  void leave(uint32_t where, Back, const llvm::BitVector* live = nullptr);
  void leave_apart(uint32_t where, Back, const llvm::BitVector* live);
  void guard(Value* ok);
  void settle_guards(bool before_access = false);
  Value* failing_at_times(Value* ok);
  void call(uint32_t instruction);
  void call_handler(uint32_t index);
  Value* condition(isa::Condition);
  bool can_only_end() const;
  bool stores_unseen() const;
  bool waits_for_stores(const isa::Instruction&) const;
  Value* executed() { return b_.CreateAdd(b_.CreateAdd(executed_at_entry_, st_.count), i64(done_)); }
  bool save_exec(const Uop&);

  // ---- matrix.cpp
  // An operation that waits to be done with others.
  struct Together {
    uint32_t instruction, sums; // what it adds to: the first register's offset
    uint32_t a, b;              // engine::MatrixStep
  };
  // Registers that were stored for them, and are as they were.
  struct StoredOperand {
    uint32_t first, count, at;
  };
  bool calls_matrix() const;
  bool matrix(const Uop&);
  void settle_matrix(uint32_t pc, const llvm::BitVector& live);
  void settle_matrix(); // before the instruction at hand
  void settle_before(const engine::UnitInstruction&);
  bool are_waiting_sums(uint32_t first, uint32_t count) const;
  uint32_t matrix_operand(uint32_t first, uint32_t count);
  Value* matrix_room();

  // ---- counts.cpp
  llvm::Function* with_tables();
  void add_tables(llvm::Function*);
  void add_to_cell(size_t offset, Value* n); // in engine::BlockCells of the block at hand
  void count_lanes(uint32_t block, size_t offset, Value* lanes);
  Value* population(Value* bits);
  Value* lanes_of_exec();
  void note_counted(); // what was executed so far is counted
  void count_block();
  void count_edge(bool taken);

  // ---- modes.cpp
  // What a body of the library computes, in the modes of 16 and 64 bits or those of 32.
  Value* body(const std::string& name, std::span<Value* const> arguments, bool mode64 = false);
  void set_modes(bool mode64);
  void write_modes();

  // ---- registers.cpp
  uint32_t lane_index(uint32_t offset) const;
  static bool is_lane(uint32_t offset) { return offset >= machine::tmp_offset(0); }
  bool is_tmp(uint32_t index) const { return index >= first_tmp_; }
  Lane read_lane(uint32_t offset); // with values; where State::others has it, of EXEC's lanes only
  Lane loaded(uint32_t index, Lane);
  void merge(uint32_t index, const Lane& other);
  void merge_all();
  Value* row_of(const Lane&, int row);
  Rows rows_of(const Lane&);
  Rows rows_at(uint32_t offset) { return rows_of(read_lane(offset)); }
  void write_lane(uint32_t offset, Lane, bool masked = true);
  void write_rows(uint32_t offset, const Rows&, bool masked = true);
  Value* row_base(const Lane&, int row);
  Value* last_columns(const Lane&);
  Value* in_last_columns(Value* i32); // and 0 in the others
  static Lane uniform_lane(Value*);
  Value* read_scalar(uint32_t n);
  Value* scalar_at(uint32_t offset, uint64_t k);   // i32
  Value* scalar64_at(uint32_t offset, uint64_t k); // i64
  void write_scalar(uint32_t n, Value*);
  void write_scalar64(uint32_t n, Value*);
  Value* half_of(const Mask&, uint32_t half);
  void drop_mask(uint32_t pair);    // as scalars
  Mask mask_of(uint32_t pair);      // whatever it is, as a mask
  Mask mask_in_exec(uint32_t pair); // ... of which only the lanes count that EXEC has
  Mask as_mask(Value* bits64);
  Rows rows_of_bits(Value* bits64);
  Value* mask_row(const Mask&, int row);
  Value* mask_bits(const Mask&); // i64
  Value* any(const Mask&);
  void write_mask(uint32_t pair, Mask);
  Mask masked_by_exec(const Mask&);
  enum class Logic { and_, or_, xor_ };
  Mask combine(Logic, const Mask&, const Mask&);
  Mask invert(const Mask&);
  static bool is_pair(uint32_t offset);
  Value* scc();
  void write_scc(Value* i1);
  const Mask& exec() const { return st_.m[exec_pair]; }
  bool all_lanes() const { return exec().kind == Mask::full; }

  // ---- vector.cpp
  bool vector(const engine::UnitUop&), computed(const engine::UnitUop&);
  bool pair(const engine::UnitUop&); // pairs.cpp

  // ---- affine.cpp
  bool affine(const Uop&), affine_shift(const Uop&);
  Lane operand(uint32_t offset, uint64_t k); // 32 bits
  std::optional<Lane> sum(const Lane&, const Lane&, bool subtract, Value** carry);
  std::optional<Lane> scaled(const Lane&, uint32_t factor);
  std::optional<Lane> product(const Lane& x, const Lane& uniform);
  std::optional<Lane> low_of_mad(const Lane (*lanes)[2], Value* a, Value* b);
  Value* does_not_wrap(const Lane&, Value* step = nullptr);
  struct Compared {
    Lane low;
    Value* high = nullptr; // of 64 bits, the same in all lanes; null: of 32
  };
  Value* holds_in_all(isa::Op, Compared x, Compared y, bool inverse);
  template <class F>
  Value* all_corners(const Lane&, F f); // f(value) holds at the corners of the wave, and so, if it
                                        // is an order that the lanes follow, in all lanes

  // ---- apart.cpp
  // A sum of what all lanes have and of constants.
  struct Apart {
    Value* base;
    uint32_t zeros; // so many low bits of the base are 0
    Offsets offsets;
    uint32_t may;
    bool apart() const; // no bit is in both
  };
  static std::optional<Apart> apart(const Lane&);
  std::optional<Apart> result_apart(const Uop&);
  bool write_affine(uint32_t offset, const Apart&);
  void note_apart(uint32_t offset, const Apart&);
  std::optional<uint32_t> known(uint32_t offset, uint64_t k); // what all lanes have, if it is a constant

  // ---- wide.cpp
  struct Sources {
    Lane a, b, b_high; // of an instruction, before it wrote
    Mask carry;
  };
  Sources sources_of(const engine::UnitUop&);
  void note_wide(const engine::UnitUop&, const Sources&);
  void have_half(uint32_t offset, Wide*, bool high);
  struct Access;
  void find_for_access();
  Wide* begin_address(const Lane& low);
  Wide* begin_address_sum(const Lane&, const Lane&);
  bool end_address_sum(const Uop&, const Sources&);
  bool access_address(const Lane& low, const Lane& high, Value* more, bool near, Access&);
  void settle_owed(const Wide&), settle_owed(const Lane&);
  void settle_owed(); // of all that is live

  // ---- staging.cpp
  bool staging(const engine::UnitUop&);
  void put_float(const Uop&);
  bool lanes(const engine::UnitUop&); // of other lanes: DPP, readlane, mbcnt
  bool dpp(const Uop&, bool move);

  // ---- scalar.cpp
  bool scalar(const Uop&), scalar_mask(const Uop&);
  const llvm::Function* scalar_body(const isa::Row&) const;

  // ---- memory.cpp
  bool scalar_memory(const Uop&);
  bool flat(const Uop&);
  void address(const Uop&, const Lane& low, Access&);
  void address_from(Value* base, const Lane& offset, Access&);
  void address_in(uint32_t registers, Lane low, Value* more, bool near, Access&);
  Lane first_address(const Uop&);
  bool is_kept(Access&, const Lane& low, bool loads);
  bool lds(const Uop&);
  // Bytes that are accessed in LDS, of all lanes, from a number on that they have in common.
  struct LdsInterval {
    Value *base, *m0;    // i32; m0 is null where it limits nothing
    uint32_t misaligned; // bits that addresses must not have
    int64_t from, to;
  };
  Value* lds_limit(Value* m0);
  void guard_lds(LdsInterval, const Uop&, uint32_t first, uint32_t end); // of an item from `first` to `end`, in bytes
  void with_those_to_come(LdsInterval&, const Uop&, uint32_t first, uint32_t end) const;
  Value* is_inside(const LdsInterval&);
  Access lds_item(const Uop&, uint32_t bytes, bool is_signed, uint32_t add, uint32_t data);
  void about_to_store(const Access&);
  void has_read(const Access&);
  void has_read(Value* from, Value* to);
  void forget_read() {
    st_.loaded = false, st_.read.clear(), st_.read_elsewhere = nullptr;
    private_read_.clear(), private_read_before_ = false;
  }
  std::pair<Value*, Value*> interval(const Access&);
  Value *reach_first(), *reach_count();

  // ---- permute.cpp
  Rows in_exec_or_0(Rows);
  bool swizzle(const Uop&), pull(const Uop&), push(const Uop&);

  // ---- buffer.cpp
  bool buffer(const Uop&);
  bool is_linear_buffer() const;
  void buffer_address(const Lane& low, Access&);

  // ---- scratch.cpp
  // Dwords of the private segment, from a base that these scalar registers say.
  struct PrivateLine {
    uint32_t at; // instruction
    uint32_t resource, offset_register;
    uint32_t from, to;
  };
  bool private_buffer(const Uop&);
  bool is_private_resource(uint32_t sgpr) const;
  Lane private_place(const Lane& offset, uint32_t imm, uint32_t bytes, Value* room);
  void private_items(Access, bool stores);
  bool overwrites_private(const PrivateLine&) const;

  // ---- helpers.cpp
  template <class F> llvm::Function* helper(const char* name, llvm::Type* result, bool affine, unsigned more, F body);
  std::vector<Value*> affine_arguments(Value* to, const Lane&);
  llvm::Function* store_affine();
  llvm::Function* misfit(bool affine);

  // ---- atomic.cpp
  void begin_float_sums(uint32_t dwords);
  bool lds_atomic(const Uop&), memory_atomic(const Uop&);
  void add_later(const Access&, const Rows& values, llvm::BasicBlock* on);
  Value* one_place(const Access&, Value* first);
  Value* misaligned(const Access&);

  // ---- by_lane.cpp, by_lane.h
  struct ByLane;
  struct Places;
  Value* lane_items();
  ByLane by_lane(const Lane&), by_lane(const Rows&);
  Value* in_lane(const ByLane&, Value* lane);
  Value* in_lane_of(const Lane&, Value* lane);
  void give_back(std::initializer_list<ByLane>);
  Places places_of(const Access&);
  Value* place_in_lane(const Access&, const Places&, Value* lane);
  Value* join_halves(Value* low, Value* high); // of 32 bits each
  template <class F> void by_row(Value* items, F f);
  template <class F> void each_lane(F f);
  template <class F> void each_lane_of(Value* first, uint64_t count, Value* mask, F f);
  template <class F> void each_row_of_lanes(F f);

  // ---- access.cpp
  bool is_crowded() const;
  using Dwords = std::vector<Value*>; // of a row
  using LoadedRows = std::array<Dwords, rows>;
  void access(const Access&); // a load or a store, as the instruction is
  void load(const Access&);
  void write_loaded(const Access&, uint32_t dword, const Lane&);
  void load_rows(const Access&, LoadedRows&);
  template <class F, class G> void load_either(Value* condition, LoadedRows&, F f, G g);
  Value* if_any(Value* lanes, Value* from);
  void store(std::initializer_list<Access>);
  void store_all(std::initializer_list<Access>);
  Value* is_there(const Access&, Value* offset, uint32_t dword);
  Value* lanes_there(const Access&, int row, uint32_t dword);
  Value* is_below_limit(const Access&, int row, uint32_t bytes);
  Value* all_there(const Access&);
  void store_there(const Access&);
  Value* first_of(const Access&, int row);
  Value* half_of(const Access&, Value* first);
  Value* load_halves(const Access&, int row, Value* first);
  void store_halves(const Access&, int row);
  Value* pointers(const Access&, int row, uint32_t add);
  Value* side_by_side(const Access&, Rows& firsts);
  llvm::Type* item_of(const Access&);
  Value* widened(const Access&, Value*, llvm::Type* to);
  void load_side_by_side(const Access&, int row, Value* from, std::vector<Value*>& out);
  void gather(const Access&, int row, std::vector<Value*>& out);
  void gather_pairs(const Access&, int row, std::vector<Value*>& out);
  bool gathers_pairs(const Access&) const;
  Value* load_item(const Access&, Value* from, uint32_t dword);
  Lane data_lane(const Access&, uint32_t dword);
  std::vector<Value*> data_of(const Access&, int row);
  void store_side_by_side(const Access&, int row, Value* to, bool past_caches = false);
  Value* may_pass_caches(const Access&, const Rows& firsts); // i1
  void scatter(const Access&, int row);
  void store_by_lane(std::initializer_list<Access>);
  void store_last(const Access&);
  Value* whole_items();
  Rows collect_whole_items(const Access&);
  void load_whole_items(const Access&, LoadedRows& out);
  void load_whole_items_or(Value* side, const Rows& firsts, const Access&, LoadedRows& out);
  void store_whole_items(const Access&);
  std::array<llvm::BasicBlock*, 3> fork(Value* condition);

  // ---- items.cpp
  using Vectors = std::vector<Value*>;
  Value* half_row(Value* row, int half);
  Value* join_half_rows(Value* first, Value* second);
  int parts_of(int dwords) const;
  Value* spread(Value* mask, int dwords, int part);
  void unweave(const Vectors& parts, Vectors& dwords);
  Vectors woven(const Vectors& dwords);
  void load_items(llvm::Type* item, Value* from, llvm::Align, Value* lanes, bool is_volatile, Vectors& dwords);
  void store_items(const Vectors& dwords, Value* to, llvm::Align, Value* lanes = nullptr, bool is_volatile = false,
                   bool past_caches = false);

  // ---- common
  llvm::Type* type_of(char kind) const {
    return kind == 'v'                  ? words_
           : kind == 'm'                ? mask_
           : kind == 'b'                ? int1_
           : kind == 'c' || kind == 'q' ? int64_
                                        : int32_;
  }
  // Half a row of lanes to a register of the host, and no scatters.
  bool is_narrow() const { return request_.level == "v3"; }
  // What f emits is of this row.
  template <class F> Value* in_row(int row, F f) {
    llvm::BasicBlock* block = b_.GetInsertBlock();
    const bool empty = dry_ || block->empty();
    llvm::Instruction* last = empty ? nullptr : &block->back();
    Value* result = f();
    if (!dry_ && is_narrow())
      for (auto i = last ? std::next(last->getIterator()) : block->begin(); i != block->end(); ++i)
        mark_row(*i, unsigned(row));
    return result;
  }
  Value* i32(uint32_t v) { return b_.getInt32(v); }
  Value* i64(uint64_t v) { return b_.getInt64(v); }
  Value* splat(Value* v) { return b_.CreateVectorSplat(16, v); }
  Value* iota(int32_t column);
  Value* opaque(uint32_t k);
  Value* wave(uint64_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), wave_, offset); }
  Value* load_wave(llvm::Type*, uint64_t offset, uint32_t align);
  Value* poison(llvm::Type* t) { return llvm::PoisonValue::get(t); }
  template <class F> Value* at_entry(F f); // emits in the entry block
  Value* at_entry_value(uint64_t offset);  // an i32 of the Wave, loaded there
  Value* code_address(uint64_t address);

  const Request& request_;
  const Unit& unit_;
  llvm::Module& module_;
  Bodies& bodies_;
  Compiled& out_;
  llvm::LLVMContext& c_;
  Builder b_;
  llvm::Type *int1_, *int16_, *int32_, *int64_, *words_, *mask_, *wide_;
  llvm::Function* function_ = nullptr;
  Value *wave_ = nullptr, *code_ = nullptr, *executed_at_entry_ = nullptr, *deadline_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr, *fail_ = nullptr;
  bool ranges_ = false;                         // it takes an engine::Range:
  Value *range_ = nullptr, *ranging_ = nullptr; // which, and whether it is called with one,
  Value* all_waves_ = nullptr;                  // of its dispatch; none without one
  bool waits_ = false;                          // its waves wait at barriers in ranges,
  bool polls_ = false;                          // and in loops for each other
  llvm::BasicBlock *range_head_ = nullptr, *range_ended_ = nullptr, *range_next_ = nullptr, *range_leave_ = nullptr;
  llvm::PHINode* range_executed_ = nullptr;
  llvm::SwitchInst* range_resume_ = nullptr;
  Value* resumed_frame_ = nullptr;
  llvm::Function* take_out_ = nullptr;
  std::deque<Kept> kept_;
  uint32_t frame_bytes_ = sizeof(engine::Frame);
  llvm::SwitchInst* enter_ = nullptr;
  llvm::Function *store_affine_ = nullptr, *misfit_[2] = {};
  bool dry_ = true;

  State st_;
  uint32_t at_ = 0;                          // the instruction that is translated,
  const engine::UnitBlock* block_ = nullptr; // of this block
  uint32_t done_ = 0;                        // instructions of the block that are
  std::vector<PrivateLine> private_read_;    // in this block, since the last checkpoint;
  bool private_read_before_ = true;          // and before it there may have been others
  bool began_full_ = false;                  // the version for which EXEC is full at its begin
  Mask exec_at_begin_;
  std::vector<uint32_t> lane_of_; // register number -> index in State::v
  std::vector<uint16_t> register_of_;
  uint32_t first_tmp_ = 0;
  std::vector<llvm::BitVector> in_exec_; // before each instruction: what is read later, of VGPRs in lanes that EXEC has
  std::vector<llvm::BitVector> in_exec_in_; // ... of each block
  std::vector<llvm::BitVector> live_;       // before each instruction, in whatever lanes
  std::vector<llvm::BitVector> live_in_;    // of each block
  std::vector<llvm::BitVector> beyond_;    // VGPRs that are read behind an instruction in lanes that EXEC has not there
  std::vector<llvm::BitVector> beyond_in_; // ... at the begin of each block
  std::vector<bool> full_exec_;            // at each instruction, as the classes say
  std::vector<Target> targets_;
  std::vector<uint32_t> order_;          // of those that are emitted, by their blocks' positions
  std::vector<bool> emitted_;            // targets
  std::vector<uint32_t> block_position_; // in reverse postorder of blocks
  llvm::BitVector meets_;                // blocks that have a meeting
  llvm::BitVector shared_;               // ... that waves come to by way of the Wave: functions with several calls
  std::vector<Rows> wave_rows_;          // entry loads
  std::map<std::pair<Value*, llvm::BasicBlock*>, Rows> expanded_; // bits of masks as rows, in a block
  std::map<uint32_t, Value*> opaque_;
  std::map<char, Value*> anything_; // of each kind of value, as long as code is emitted
  std::deque<Wide> wides_;
  std::vector<bool> for_access_;         // instructions of which accesses alone read what they write
  std::vector<Value*>* owing_ = nullptr; // where guards go instead of being asked
  std::deque<Offsets> offsets_;
  std::vector<Value*> free_items_; // memory for a dword of each lane
  Value* whole_items_ = nullptr;   // ... for four
  Value* matrix_room_ = nullptr;   // ... for operands of matrix operations
  std::vector<Together> together_; // in this block, as they came,
  std::vector<StoredOperand> operands_;
  uint32_t operand_bytes_ = 0;
  std::array<Value*, scalar_count> wave_scalars_{};
  Value *scratch_ = nullptr, *scratch_bytes_ = nullptr; // i64: where the wave's own begins, how much it is
  Value *wave_scc_ = nullptr, *reach_first_ = nullptr, *reach_count_ = nullptr, *lds_base_ = nullptr,
        *lds_bytes_ = nullptr;
  Value* pending_ = nullptr;                         // guards that nobody has asked yet
  Value* pending_high_ = nullptr;                    // i64: those that hold if it is below 2^32
  std::vector<LdsInterval> lds_pending_, lds_asked_; // the latter since the block was begun
  bool passes_caches_ = false;                       // some store so far may have
  bool in_reading_loop_ = false;                     // as the block's target says
  bool left_ = false;                                // the block was left before its end
  bool in_mode64_ = false;                           // MXCSR has the modes of 16 and 64 bits
  bool narrowed_ = false;                            // EXEC is what DPP has left of it
  Mask exec_before_dpp_;
  Report* report_;               // null: nobody has asked for it
  ReportCounts* note_ = nullptr; // of it, where code is emitted
  llvm::DISubprogram* scope_ = nullptr;
};

template <class F> Value* Emitter::at_entry(F f) {
  if (dry_)
    return nullptr;
  llvm::IRBuilderBase::InsertPointGuard keep(b_);
  b_.SetInsertPoint(enter_);
  return f();
}

} // namespace crosslane::jit
