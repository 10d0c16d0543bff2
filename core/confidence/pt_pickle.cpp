// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/pt_pickle.h"

#include <array>
#include <stdexcept>

namespace candor {

namespace {

using Kind = PickleValue::Kind;

// Names of pickle's opcodes (Python's pickletools), protocols 2 to 5, as far as state dicts use them.
enum Opcode : unsigned char {
    kProto = 0x80,
    kFrame = 0x95,
    kStop = '.',
    kMark = '(',
    kPop = '0',
    kNone = 'N',
    kTrue = 0x88,
    kFalse = 0x89,
    kInt1 = 'K',
    kInt2 = 'M',
    kInt4 = 'J',
    kLong1 = 0x8a,
    kFloat = 'G',
    kText4 = 'X',
    kText1 = 0x8c,
    kText8 = 0x8d,
    kBytes1 = 'U',
    kBytes4 = 'T',
    kEmptyTuple = ')',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kTuple = 't',
    kEmptyList = ']',
    kAppend = 'a',
    kAppends = 'e',
    kEmptyDict = '}',
    kSetItem = 's',
    kSetItems = 'u',
    kPut1 = 'q',
    kPut4 = 'r',
    kMemoize = 0x94,
    kGet1 = 'h',
    kGet4 = 'j',
    kGlobal = 'c',
    kStackGlobal = 0x93,
    kReduce = 'R',
    kBuild = 'b',
    kPersistent = 'Q',
    kNewObject = 0x81
};

struct StorageType {
    const char* name;
    Dtype dtype;
};
constexpr std::array<StorageType, 10> kStorages = {{{"torch FloatStorage", Dtype::F32},
                                                    {"torch HalfStorage", Dtype::F16},
                                                    {"torch BFloat16Storage", Dtype::BF16},
                                                    {"torch DoubleStorage", Dtype::F64},
                                                    {"torch LongStorage", Dtype::I64},
                                                    {"torch IntStorage", Dtype::I32},
                                                    {"torch ShortStorage", Dtype::I16},
                                                    {"torch CharStorage", Dtype::I8},
                                                    {"torch ByteStorage", Dtype::U8},
                                                    {"torch BoolStorage", Dtype::Bool}}};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

bool isDictName(const std::string& name) {
    return name == "collections OrderedDict" || name == "builtins dict" || name == "__builtin__ dict";
}

std::vector<std::int64_t> sizes(const PickleValue& value) {
    if (value.kind != Kind::Tuple && value.kind != Kind::List) fail("a tensor's shape is no tuple");
    if (value.items.size() > 64) fail("a tensor has more than 64 dimensions");
    std::vector<std::int64_t> numbers;
    for (const PickleValue* item : value.items) {
        if (item->kind != Kind::Integer || item->integer < 0) fail("a tensor's shape or stride is no natural number");
        numbers.push_back(item->integer);
    }
    return numbers;
}

}  // namespace

std::string_view Unpickler::take(std::uint64_t size) {
    if (size > text_.size() - at_) fail("the pickle ends in the middle");
    const std::string_view part = text_.substr(at_, size);
    at_ += size;
    return part;
}

std::uint64_t Unpickler::number(int bytes) {
    const std::string_view raw = take(static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (std::size_t i = raw.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
    return value;
}

std::string Unpickler::line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) fail("the pickle ends in the middle");
    std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
}

PickleValue* Unpickler::make(Kind kind) {
    if (values_.size() == 1'000'000) fail("the pickle holds more than a million values");
    PickleValue& value = values_.emplace_back();
    value.kind = kind;
    stack_.push_back(&value);
    return &value;
}

PickleValue* Unpickler::pop() {
    if (stack_.empty() || stack_.back()->kind == Kind::Mark) fail("the pickle takes a value that is not there");
    PickleValue* value = stack_.back();
    stack_.pop_back();
    return value;
}

PickleValue* Unpickler::top(Kind kind) {
    if (stack_.empty() || stack_.back()->kind != kind) fail("the pickle fills something that is no such container");
    return stack_.back();
}

std::vector<PickleValue*> Unpickler::popToMark() {
    std::size_t from = stack_.size();
    while (from > 0 && stack_[from - 1]->kind != Kind::Mark) --from;
    if (from == 0) fail("the pickle has no mark where it needs one");
    std::vector<PickleValue*> items(stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
    stack_.resize(from - 1);
    return items;
}

void Unpickler::pushInteger(std::int64_t value) { make(Kind::Integer)->integer = value; }
void Unpickler::pushText(std::string_view text) { make(Kind::Text)->text = text; }
void Unpickler::pushTuple(std::vector<PickleValue*> items) { make(Kind::Tuple)->items = std::move(items); }

void Unpickler::pushGlobal(std::string name) {
    bool known =
        isDictName(name) || name == "torch._utils _rebuild_tensor_v2" || name == "torch._utils _rebuild_parameter";
    for (const StorageType& type : kStorages) known = known || name == type.name;
    if (!known)
        fail("it holds \"" + name.substr(0, 200) + "\"; only tensors in dictionaries are read, no other object");
    make(Kind::Global)->text = std::move(name);
}

void Unpickler::setItems(const std::vector<PickleValue*>& items) {
    PickleValue* dict = top(Kind::Dict);
    if (items.size() % 2 != 0) fail("the pickle sets a key without a value");
    for (std::size_t i = 0; i < items.size(); i += 2) dict->fields.emplace_back(items[i], items[i + 1]);
}

// Indices are dense in what Python writes, so none is as large as the text; a far one would only waste memory.
void Unpickler::remember(std::uint64_t index) {
    if (stack_.empty()) fail("the pickle remembers a value that is not there");
    if (index >= text_.size()) fail("the pickle's memory index is out of range");
    if (index >= memo_.size()) memo_.resize(index + 1);
    memo_[index] = stack_.back();
}

void Unpickler::recall(std::uint64_t index) {
    if (index >= memo_.size() || !memo_[index]) fail("the pickle recalls a value that was never remembered");
    stack_.push_back(memo_[index]);
}

void Unpickler::persistent() {
    const PickleValue* id = pop();
    const bool shaped = id->kind == Kind::Tuple && id->items.size() == 5 && id->items[0]->text == "storage" &&
                        id->items[1]->kind == Kind::Global && id->items[2]->kind == Kind::Text;
    if (!shaped) fail("a storage is described in an unknown way");
    for (const StorageType& type : kStorages)
        if (id->items[1]->text == type.name) {
            PickleValue* storage = make(Kind::Storage);
            storage->tensor.dtype = type.dtype;
            storage->tensor.storage = id->items[2]->text;
            return;
        }
    fail("\"" + id->items[1]->text + "\" is no storage");
}

PickleValue* Unpickler::rebuildTensor(const std::vector<PickleValue*>& arguments) {
    const bool shaped = arguments.size() >= 4 && arguments[0]->kind == Kind::Storage &&
                        arguments[1]->kind == Kind::Integer && arguments[1]->integer >= 0;
    if (!shaped) fail("a tensor is described in an unknown way");
    PickleValue* value = make(Kind::Tensor);
    value->tensor = arguments[0]->tensor;
    value->tensor.offset = arguments[1]->integer;
    value->tensor.shape = sizes(*arguments[2]);
    value->tensor.stride = sizes(*arguments[3]);
    if (value->tensor.shape.size() != value->tensor.stride.size()) fail("a tensor's shape and stride differ in length");
    return value;
}

void Unpickler::reduce() {
    const PickleValue* arguments = pop();
    const PickleValue* callee = pop();
    if (callee->kind != Kind::Global || arguments->kind != Kind::Tuple)
        fail("the pickle calls something that is no function");
    if (callee->text == "torch._utils _rebuild_tensor_v2") {
        rebuildTensor(arguments->items);
    } else if (callee->text == "torch._utils _rebuild_parameter") {
        if (arguments->items.empty() || arguments->items[0]->kind != Kind::Tensor) fail("a Parameter holds no tensor");
        stack_.push_back(arguments->items[0]);
    } else if (isDictName(callee->text) && arguments->items.empty()) {
        make(Kind::Dict);
    } else {
        fail("the pickle calls \"" + callee->text + "\" in an unknown way");
    }
}

// The attributes of an OrderedDict (a module's _metadata): read and dropped.
void Unpickler::build() {
    if (pop()->kind != Kind::Dict) fail("the pickle gives an object a state of an unknown kind");
    top(Kind::Dict);
}

bool Unpickler::stepValue(unsigned char code) {
    switch (code) {
        case kNone:
            make(Kind::None);
            return true;
        case kTrue:
        case kFalse:
            make(Kind::Bool)->integer = code == kTrue;
            return true;
        case kInt1:
            pushInteger(static_cast<std::int64_t>(number(1)));
            return true;
        case kInt2:
            pushInteger(static_cast<std::int64_t>(number(2)));
            return true;
        case kInt4:
            pushInteger(static_cast<std::int32_t>(number(4)));
            return true;
        case kLong1: {
            const int size = static_cast<int>(number(1));
            if (size > 8) fail("a number of more than 64 bits");
            const std::uint64_t raw = number(size);
            const int unused = 64 - 8 * size;  // sign extension
            pushInteger(size == 0 ? 0 : static_cast<std::int64_t>(raw << unused) >> unused);
            return true;
        }
        case kFloat:
            take(8), make(Kind::Float);
            return true;
        case kText1:
        case kBytes1:
            pushText(take(number(1)));
            return true;
        case kText4:
        case kBytes4:
            pushText(take(number(4)));
            return true;
        case kText8:
            pushText(take(number(8)));
            return true;
        case kGlobal: {
            std::string name = line() + " ";
            pushGlobal(name + line());
            return true;
        }
        case kStackGlobal: {
            const PickleValue* name = pop();
            const PickleValue* module = pop();
            pushGlobal(module->text + " " + name->text);
            return true;
        }
        default:
            return false;
    }
}

bool Unpickler::stepContainer(unsigned char code) {
    switch (code) {
        case kMark:
            make(Kind::Mark);
            return true;
        case kEmptyTuple:
            make(Kind::Tuple);
            return true;
        case kEmptyList:
            make(Kind::List);
            return true;
        case kEmptyDict:
            make(Kind::Dict);
            return true;
        case kTuple:
            pushTuple(popToMark());
            return true;
        case kTuple1:
        case kTuple2:
        case kTuple3: {
            std::vector<PickleValue*> items(static_cast<std::size_t>(code - kTuple1 + 1));
            for (std::size_t i = items.size(); i-- > 0;) items[i] = pop();
            pushTuple(std::move(items));
            return true;
        }
        case kAppend: {
            PickleValue* item = pop();
            top(Kind::List)->items.push_back(item);
            return true;
        }
        case kAppends: {
            const auto items = popToMark();
            auto& list = top(Kind::List)->items;
            list.insert(list.end(), items.begin(), items.end());
            return true;
        }
        case kSetItem: {
            PickleValue* value = pop();
            PickleValue* key = pop();
            setItems({key, value});
            return true;
        }
        case kSetItems:
            setItems(popToMark());
            return true;
        default:
            return false;
    }
}

bool Unpickler::step(unsigned char code) {
    switch (code) {
        case kStop:
            return false;
        case kProto:
            if (number(1) > 5) fail("a pickle protocol newer than 5");
            break;
        case kFrame:
            number(8);
            break;
        case kPop:
            pop();
            break;
        case kPut1:
            remember(number(1));
            break;
        case kPut4:
            remember(number(4));
            break;
        case kMemoize:
            remember(memo_.size());
            break;
        case kGet1:
            recall(number(1));
            break;
        case kGet4:
            recall(number(4));
            break;
        case kPersistent:
            persistent();
            break;
        case kReduce:
        case kNewObject:
            reduce();
            break;
        case kBuild:
            build();
            break;
        default:
            if (!stepValue(code) && !stepContainer(code))
                fail("pickle opcode " + std::to_string(code) + ", which no state dict needs");
    }
    return true;
}

const PickleValue& Unpickler::run() {
    while (step(static_cast<unsigned char>(number(1)))) {
    }
    return *pop();
}

}  // namespace candor
